package main

import (
	"errors"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
)

// historyCmd lists the pointers of one object.
type historyCmd struct {
	Warehouse string `arg:"" help:"Its name."`
	Table     string "arg:\"\" help:\"ns.name (a level with a dot in backquotes) or a UUID.\""
	Check     bool   `help:"Look whether each file is still there; 1 when one is not."`
	All       bool   `help:"Every table and view that ever had the name; else the one that has it, or the last that had it."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (historyCmd) Help() string {
	return "Through renames and drops. Asks the running server, or opens the files when none runs."
}

func (historyCmd) example() string { return "WAREHOUSE TABLE, as in: puddle history lake sales.orders" }

func (historyCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused} }

// historyReport is the report of history.
type historyReport struct {
	Warehouse  string           `json:"warehouse"`
	Kind       string           `json:"kind"`
	UUID       string           `json:"uuid"`
	Identifier jsontext.Value   `json:"identifier"`
	Moves      []jsontext.Value `json:"moves"`
}

// historyPage is what people are shown of an answer of the route history.
type historyPage struct {
	Moves []struct {
		step
		Seq   uint64 `json:"seq"`
		At    string `json:"at"`
		Event string `json:"event"`
		Actor string `json:"actor"`
		UUID  string `json:"uuid"`
	} `json:"moves"`
}

// Run reports.
func (h historyCmd) Run(s *session) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	return s.ask(c, func(asked *client) error { return h.report(s, asked) })
}

func (h historyCmd) report(s *session, asked *client) error {
	var page historyPage
	var report historyReport
	err := asked.pages(s.stop, "/warehouses/"+url.PathEscape(h.Warehouse)+"/history", h.query(), func(body []byte) error {
		before, shown := report.Moves, page.Moves
		report, page = historyReport{}, historyPage{}
		err := errors.Join(json.Unmarshal(body, &report), json.Unmarshal(body, &page))
		report.Moves, page.Moves = append(before, report.Moves...), append(shown, page.Moves...)
		return err
	})
	switch {
	case err != nil:
		return err
	case h.JSON:
		err = s.json(report)
	default:
		err = h.print(s, page)
	}
	if missing := page.missing(); err == nil && missing > 0 {
		return fail(codeFindings, "files that are not in the warehouse: %d", missing)
	}
	return err
}

func (h historyCmd) query() url.Values {
	query := url.Values{"identifier": {h.Table}}
	if _, err := uuid.Parse(h.Table); err == nil {
		query = url.Values{"uuid": {h.Table}}
	}
	if h.All {
		query.Set("all", "true")
	}
	if h.Check {
		query.Set("check", "true")
	}
	return query
}

func (p historyPage) missing() int {
	n := 0
	for _, m := range p.Moves {
		if m.To != nil && m.To.Present != nil && !*m.To.Present {
			n++
		}
	}
	return n
}

func (h historyCmd) print(s *session, page historyPage) error {
	header := table.Row{"seq", "at", "event", "actor", "uuid", "name", "pointer"}
	if h.Check {
		header = append(header, "file")
	}
	rows := make([]table.Row, len(page.Moves))
	for i, m := range page.Moves {
		rows[i] = table.Row{m.Seq, m.At, m.Event, m.Actor, m.UUID, m.names(), m.pointer()}
		if h.Check {
			rows[i] = append(rows[i], presence(m.To))
		}
	}
	return s.table(header, rows...)
}

func presence(to *end) string {
	switch {
	case to == nil || to.Present == nil:
		return ""
	case *to.Present:
		return "present"
	}
	return "missing"
}
