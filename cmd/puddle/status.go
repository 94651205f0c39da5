package main

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/journal"
)

// statusCmd tells how the catalog is.
type statusCmd struct {
	JSON bool `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (statusCmd) Help() string {
	return "Heads, whether the pointer tables are caught up, and the purges of dropped tables. " +
		"Asks the running server, or opens the files when none runs: then nothing is purged."
}

func (statusCmd) exits() []int { return []int{codeFindings, codeWarnings, codeNoLook, codeRefused} }

// statusPage is what people are shown of an answer of the route status.
type statusPage struct {
	Warehouses []struct {
		Warehouse   string    `json:"warehouse"`
		Incarnation uuid.UUID `json:"incarnation"`
		Head        struct {
			Seq journal.Seq `json:"seq"`
		} `json:"head"`
		Tables struct {
			Behind uint64 `json:"behind"`
		} `json:"tables"`
		Purges purgesPage `json:"purges"`
	} `json:"warehouses"`
	Warnings []struct {
		Warehouse string `json:"warehouse"`
		Message   string `json:"message"`
	} `json:"warnings"`
}

// purgesPage is what people are shown of a warehouse's purges.
type purgesPage struct {
	Pending *int64 `json:"pending"` // nil: cannot be read
	Due     int64  `json:"due"`
	Oldest  string `json:"oldest"`
	Current *struct {
		Identifier journal.Identifier `json:"identifier"`
		Began      string             `json:"began"`
		Removed    int64              `json:"removed"`
		Kept       int64              `json:"kept"`
		Failed     int64              `json:"failed"`
		Bytes      int64              `json:"bytes"`
	} `json:"current"`
}

// Run reports.
func (c statusCmd) Run(s *session) error {
	configured, err := s.config()
	if err != nil {
		return err
	}
	return s.ask(configured, func(asked *client) error { return c.report(s, asked) })
}

func (c statusCmd) report(s *session, asked *client) error {
	body, err := asked.get(s.stop, "/status", nil)
	if err != nil {
		return err
	}
	var page statusPage
	if err := json.Unmarshal(body, &page); err != nil {
		return err
	}
	if c.JSON {
		_, err = fmt.Fprintf(s.stdout, "%s\n", body)
	} else {
		err = page.print(s, asked.live)
	}
	if n := len(page.Warnings); err == nil && n > 0 {
		return fail(codeWarnings, "warnings: %d", n)
	}
	return err
}

func (p statusPage) print(s *session, live bool) error {
	var rows []table.Row
	for _, w := range p.Warehouses {
		tables := "caught up"
		if w.Tables.Behind > 0 {
			tables = fmt.Sprintf("%d events behind", w.Tables.Behind)
		}
		rows = append(rows, table.Row{w.Warehouse, w.Head.Seq.String(), w.Incarnation.String(), tables, w.Purges.String()})
	}
	if err := s.table(table.Row{"warehouse", "head", "incarnation", "tables", "purges"}, rows...); err != nil {
		return err
	}
	var lines strings.Builder
	if !live {
		lines.WriteString("no server runs\n")
	}
	for _, w := range p.Warnings {
		about := ""
		if w.Warehouse != "" {
			about = w.Warehouse + ": "
		}
		fmt.Fprintf(&lines, "warning: %s%s\n", about, printable(w.Message))
	}
	_, err := s.stdout.Write([]byte(lines.String()))
	return err
}

// String is the purges in a few words.
func (p purgesPage) String() string {
	text := "not known"
	switch {
	case p.Pending != nil && *p.Pending == 0:
		text = "none pending"
	case p.Pending != nil:
		text = fmt.Sprintf("%d pending, %d due, oldest %s", *p.Pending, p.Due, p.Oldest)
	}
	if c := p.Current; c != nil {
		text += fmt.Sprintf("; at work on %s since %s: %d files removed (%d bytes), %d kept, %d failed",
			c.Identifier.Quoted(), c.Began, c.Removed, c.Bytes, c.Kept, c.Failed)
	}
	return text
}
