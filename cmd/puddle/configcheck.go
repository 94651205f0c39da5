package main

import (
	"errors"
	"fmt"

	"puddle/cmd/puddle/config"
	"puddle/projections/archive"
)

// configCmd groups what looks at the configuration.
type configCmd struct {
	Check configCheckCmd `cmd:"" help:"Read the configuration as serve does, and report what is wrong with it."`
}

// configCheckCmd checks the configuration.
type configCheckCmd struct {
	Probe bool `help:"Also try what the storage of each warehouse does, and look whether the database can be reached."`
	JSON  bool `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (configCheckCmd) Help() string {
	return "With --probe small files are written to each location of each warehouse, below _puddle/probe, read, listed, written over and removed: whether a store keeps " +
		"conditions, shows what was written, deletes, and keeps names apart is seen by doing it. External warehouses are only listed. Where vended-credentials is enabled, STS is asked once. A server may run meanwhile.\n\n" +
		"The exit codes 1, 3 and 4 are of what --probe has seen. What the configuration alone gives a warning for, such as an endpoint without TLS, is good and ends with 0, as it lets a server start."
}

func (configCheckCmd) exits() []int { return []int{codeFindings, codeWarnings, codeNoLook} }

// checkReport is the report of config check.
type checkReport struct {
	Valid    bool          `json:"valid"`
	Problems []problemBody `json:"problems"`
	*probeReport
}

type problemBody struct {
	File string `json:"file"`
	Line int    `json:"line,omitzero"`
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

// Run reports.
func (c configCheckCmd) Run(s *session) error {
	checked, err := s.config()
	if c.JSON {
		return c.report(s, checked, err)
	}
	if err != nil {
		return err
	}
	if err := s.lines(said(checked)); err != nil || !c.Probe {
		return err
	}
	probed := probeAll(s.stop, checked)
	return errors.Join(probed.print(s), probed.end())
}

// said is what is said of a good configuration.
func said(c config.Config) (lines []string) {
	for _, w := range c.Warehouses {
		lines = append(lines, fmt.Sprintf("warehouse %s at %s", w.Name, w.Root.URL))
	}
	for _, e := range c.Externals {
		lines = append(lines, fmt.Sprintf("external warehouse %s at %s", e.Name, e.Root.URL))
	}
	if c.Metastore.Type == config.Postgres {
		lines = append(lines, fmt.Sprintf("journal and pointer tables in the schema %s of a PostgreSQL database", c.Metastore.PostgreSQL.Schema))
	}
	if c.Journal.Archive == string(archive.Off) {
		lines = append(lines, "warning: "+notArchived)
	}
	for _, e := range exposures(c) {
		lines = append(lines, fmt.Sprintf("warning: %s: %s (%s)", e.whose, unsecured, e.endpoint))
	}
	for _, line := range vendedWarnings(c) {
		lines = append(lines, "warning: "+line)
	}
	return append(lines, fmt.Sprintf("data in %s, served at %s: the configuration is good", c.DataDir, c.Server.Addr))
}

func (c configCheckCmd) report(s *session, checked config.Config, err error) error {
	r := checkReport{Valid: err == nil}
	var invalid *config.Error
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	if invalid != nil {
		for _, p := range invalid.Problems {
			r.Problems = append(r.Problems, problemBody{invalid.File, p.Line, p.Key, p.Text})
		}
	}
	if err == nil && c.Probe {
		r.probeReport = probeAll(s.stop, checked)
		err = r.end()
	}
	return errors.Join(s.json(r), err)
}
