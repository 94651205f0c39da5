package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/internal/warehouse/probe"
	"puddle/journal"
)

// probeReport is what config check --probe has seen.
type probeReport struct {
	Metastore metastoreReport `json:"metastore"`
	Places    []placeReport   `json:"places"`
	Vended    []vendedReport  `json:"vended-credentials,omitempty"` // none where it is off
}

// metastoreReport is whether the metastore can be reached. One of files is not looked at.
type metastoreReport struct {
	Type    string         `json:"type"`
	Finding string         `json:"finding,omitempty"`
	Error   string         `json:"error,omitempty"`
	Reached *reachedReport `json:"reached,omitempty"` // nil: a finding or an error says why not, or it is one of files
}

// reachedReport is what a database that will do has.
type reachedReport struct {
	Role     string        `json:"role"`
	Database string        `json:"database"`
	Primary  bool          `json:"primary"`
	Schema   string        `json:"schema"`
	Format   int64         `json:"format"` // of the journal; 0: there is none yet
	Heads    []reachedHead `json:"heads"`
}

// reachedHead is where the history of a warehouse ends.
type reachedHead struct {
	Warehouse   uuid.UUID   `json:"warehouse"`
	Incarnation uuid.UUID   `json:"incarnation"`
	Seq         journal.Seq `json:"seq"`
}

// String is a line for people.
func (r *reachedReport) String() string {
	line := fmt.Sprintf("reached: the database %s as %s, a primary", r.Database, r.Role)
	if r.Format == 0 {
		return line + fmt.Sprintf("; there is no journal in the schema %s yet: the first start of puddle serve makes it", r.Schema)
	}
	line += fmt.Sprintf("; the schema %s holds a journal", r.Schema)
	if len(r.Heads) == 0 {
		return line + " without events"
	}
	for i, head := range r.Heads {
		line += fmt.Sprintf("%s %s ends at %s", [...]string{":", ","}[min(i, 1)], head.Warehouse, head.Seq)
	}
	return line
}

// placeReport is what a location of a warehouse does.
type placeReport struct {
	Warehouse string        `json:"warehouse"`
	External  bool          `json:"external"` // it is only read
	Location  string        `json:"location"`
	Storage   string        `json:"storage"` // file, s3
	Findings  []string      `json:"findings"`
	Warnings  []string      `json:"warnings"`
	Error     string        `json:"error,omitempty"` // why it was not looked at, or not at all of it
	Note      string        `json:"note,omitempty"`
	Probe     *probe.Report `json:"probe,omitempty"`
}

// end has the exit code of what was seen.
func (r *probeReport) end() error {
	findings, unseen, warnings := 0, 0, 0
	if r.Metastore.Finding != "" {
		findings++
	}
	if r.Metastore.Error != "" {
		unseen++
	}
	for _, p := range r.Places {
		findings += len(p.Findings)
		warnings += len(p.Warnings)
		if p.Error != "" {
			unseen++
		}
	}
	for _, v := range r.Vended {
		if v.Finding != "" {
			findings++
		}
	}
	switch {
	case findings > 0:
		return fail(codeFindings, "findings: %d, warnings: %d, not looked at: %d", findings, warnings, unseen)
	case unseen > 0:
		return fail(codeNoLook, "not looked at: %d", unseen)
	case warnings > 0:
		return fail(codeWarnings, "warnings: %d", warnings)
	}
	return nil
}

// print shows a row a place, and a line for all that is to be looked at.
func (r *probeReport) print(s *session) error {
	var rows []table.Row
	lines := []string{}
	note := func(what, message string) {
		if message != "" {
			lines = append(lines, what+message)
		}
	}
	if r.Metastore.Reached != nil {
		note("metastore: ", r.Metastore.Reached.String())
	}
	note("finding: metastore: ", r.Metastore.Finding)
	note("not looked at: metastore: ", r.Metastore.Error)
	for _, p := range r.Places {
		rows = append(rows, p.row())
		at := p.Warehouse + " at " + p.Location + ": "
		for _, message := range p.Findings {
			note("finding: "+at, message)
		}
		for _, message := range p.Warnings {
			note("warning: "+at, message)
		}
		note("not looked at: "+at, p.Error)
		note(at, p.Note)
	}
	for _, v := range r.Vended {
		lines = append(lines, "vended-credentials of "+v.Warehouse+": "+v.Verdict)
		note("finding: "+v.Warehouse+": ", v.Finding)
	}
	header := table.Row{"warehouse", "location", "storage", "conditional writes", "reads", "lists", "deletes", "names", "clock", "took"}
	return cmp.Or(s.table(header, rows...), s.lines(lines))
}

func (p placeReport) row() table.Row {
	row := table.Row{p.Warehouse, p.Location, p.Storage}
	switch {
	case p.Probe == nil:
		return append(row, "", "", "", "", "", "", "")
	case p.External:
		return append(row, "", "", string(p.Probe.Worst(probe.List)), "", "", "", took(p.Probe.Took))
	}
	for _, steps := range [][]string{
		{probe.Write, probe.CreateIfAbsent, probe.Race},
		{probe.Read, probe.Stat, probe.Replace, probe.ReadAfterReplace},
		{probe.List}, {probe.Delete, probe.ReadAfterDelete, probe.ListAfterDelete}, {probe.OddKeys}, {probe.Clock},
	} {
		row = append(row, string(p.Probe.Worst(steps...)))
	}
	return append(row, took(p.Probe.Took))
}

func took(d time.Duration) string { return d.Round(time.Millisecond).String() }
