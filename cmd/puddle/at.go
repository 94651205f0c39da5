package main

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/journal"
)

// atCmd shows the catalog as it was.
type atCmd struct {
	Warehouse string `arg:"" help:"Its name."`
	Point     string `arg:"" help:"When: a time with offset, seq:N, INCARNATION:N or an event's id."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (atCmd) Help() string {
	return "Namespaces, and tables and views with their pointers, after the last event at or before the point. Asks the running server, or opens " +
		"the files when none runs. Engines read the same as the warehouse NAME@POINT."
}

func (atCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused} }

// moment is an event as of which something is shown.
type moment struct {
	Incarnation string      `json:"incarnation"`
	Seq         journal.Seq `json:"seq"`
	At          string      `json:"at"`
}

// point names the event, whatever was asked for.
func (m moment) point() string { return m.Incarnation + ":" + m.Seq.String() }

// text is for people.
func (m moment) text() string { return fmt.Sprintf("seq:%s (%s)", m.Seq, m.At) }

// stateReport is the report of at, and an answer of the route state.
type stateReport struct {
	Warehouse string `json:"warehouse"`
	moment
	Namespaces []jsontext.Value `json:"namespaces"`
	Objects    []jsontext.Value `json:"objects"`
}

// Run reports.
func (a atCmd) Run(s *session) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	return s.ask(c, func(asked *client) error { return a.report(s, asked) })
}

func (a atCmd) report(s *session, asked *client) error {
	query := url.Values{"at": {a.Point}}
	state := stateReport{Namespaces: []jsontext.Value{}, Objects: []jsontext.Value{}}
	err := asked.pages(s.stop, "/warehouses/"+url.PathEscape(a.Warehouse)+"/state", query, func(body []byte) error {
		var page stateReport
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		page.Namespaces, page.Objects = append(state.Namespaces, page.Namespaces...), append(state.Objects, page.Objects...)
		state = page
		query.Set("at", page.point())
		return nil
	})
	switch {
	case err != nil:
		return err
	case a.JSON:
		return s.json(state)
	}
	return state.print(s)
}

func (r stateReport) print(s *session) error {
	rows := make([]table.Row, 0, len(r.Namespaces)+len(r.Objects))
	for _, raw := range r.Namespaces {
		var n struct {
			ID        string            `json:"id"`
			Namespace journal.Namespace `json:"namespace"`
		}
		if err := json.Unmarshal(raw, &n); err != nil {
			return err
		}
		rows = append(rows, table.Row{"namespace", n.Namespace.String(), n.ID, ""})
	}
	for _, raw := range r.Objects {
		var o struct {
			end
			Kind string `json:"kind"`
			UUID string `json:"uuid"`
		}
		if err := json.Unmarshal(raw, &o); err != nil {
			return err
		}
		rows = append(rows, table.Row{o.Kind, o.Identifier.Quoted(), o.UUID, o.MetadataLocation})
	}
	if err := s.lines([]string{r.Warehouse + " as of " + r.text()}); err != nil || len(rows) == 0 {
		return err
	}
	return s.table(table.Row{"kind", "name", "uuid", "pointer"}, rows...)
}
