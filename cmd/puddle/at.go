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
	Check     bool   `help:"Look whether each metadata file is still there; 1 when one is not."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (atCmd) Help() string {
	return "Namespaces, and tables and views with their pointers, after the last event at or before the point. Asks the running server, or opens " +
		"the files when none runs. Engines read the same as the warehouse NAME@POINT."
}

func (atCmd) example() string { return "WAREHOUSE POINT, as in: puddle at lake seq:42" }

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
	if a.Check {
		query.Set("check", "true")
	}
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
	if err != nil {
		return err
	}
	missing, rows, err := state.rows(a.Check)
	switch {
	case err != nil:
		return err
	case a.JSON:
		err = s.json(state)
	default:
		err = state.print(s, a.Check, rows)
	}
	if err == nil && missing > 0 {
		return fail(codeFindings, "files that are not in the warehouse: %d", missing)
	}
	return err
}

// rows are what people are shown, and how many files are missing.
func (r stateReport) rows(check bool) (missing int, rows []table.Row, err error) {
	for _, raw := range r.Namespaces {
		var n struct {
			ID        string            `json:"id"`
			Namespace journal.Namespace `json:"namespace"`
		}
		if err := json.Unmarshal(raw, &n); err != nil {
			return 0, nil, err
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
			return 0, nil, err
		}
		row := table.Row{o.Kind, o.Identifier.Quoted(), o.UUID, o.MetadataLocation}
		if check {
			row = append(row, presence(&o.end))
		}
		if o.Present != nil && !*o.Present {
			missing++
		}
		rows = append(rows, row)
	}
	return missing, rows, nil
}

func (r stateReport) print(s *session, check bool, rows []table.Row) error {
	if err := s.lines([]string{r.Warehouse + " as of " + r.text()}); err != nil || len(rows) == 0 {
		return err
	}
	header := table.Row{"kind", "name", "uuid", "pointer"}
	if check {
		header = append(header, "file")
	}
	return s.table(header, rows...)
}
