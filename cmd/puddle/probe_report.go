package main

import (
	"cmp"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/internal/warehouse/probe"
)

// probeReport is what config check --probe has seen.
type probeReport struct {
	Metastore metastoreReport `json:"metastore"`
	Places    []placeReport   `json:"places"`
	Vended    []vendedReport  `json:"vended-credentials,omitempty"` // none where it is off
}

// metastoreReport is whether the metastore can be reached. One of files is not looked at.
type metastoreReport struct {
	Type    string `json:"type"`
	Finding string `json:"finding,omitempty"`
	Error   string `json:"error,omitempty"`
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
