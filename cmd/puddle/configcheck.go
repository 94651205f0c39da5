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
	Probe bool `help:"Also look whether storage and databases can be reached. Not in this build."`
	JSON  bool `name:"json" help:"One JSON document."`
}

// checkReport is the report of config check.
type checkReport struct {
	Valid    bool          `json:"valid"`
	Problems []problemBody `json:"problems"`
}

type problemBody struct {
	File string `json:"file"`
	Line int    `json:"line,omitzero"`
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

// Run reports.
func (c configCheckCmd) Run(s *session) error {
	if c.Probe {
		return fail(codeUsage, "--probe is not in this build")
	}
	checked, err := s.config()
	if c.JSON {
		return c.report(s, err)
	}
	if err != nil {
		return err
	}
	for _, w := range checked.Warehouses {
		if _, err := fmt.Fprintf(s.stdout, "warehouse %s at %s\n", w.Name, w.Root.URL); err != nil {
			return err
		}
	}
	if checked.Metastore.Type == config.Postgres {
		if _, err := fmt.Fprintf(s.stdout, "journal and pointer tables in the schema %s of a PostgreSQL database\n", checked.Metastore.PostgreSQL.Schema); err != nil {
			return err
		}
	}
	if checked.Journal.Archive == string(archive.Off) {
		if _, err := fmt.Fprintln(s.stdout, "warning: "+notArchived); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.stdout, "data in %s, served at %s: the configuration is good\n", checked.DataDir, checked.Server.Addr)
	return err
}

func (configCheckCmd) report(s *session, err error) error {
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
	return errors.Join(s.json(r), err)
}
