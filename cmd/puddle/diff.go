package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/journal"
)

// diffCmd shows what changed between two points.
type diffCmd struct {
	Warehouse string `arg:"" help:"Its name."`
	From      string `arg:"" help:"A time with offset, seq:N, INCARNATION:N or an event's id."`
	To        string `arg:"" help:"Likewise; it may be the earlier one."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (diffCmd) Help() string {
	return "Namespaces created, dropped or changed; tables and views created, dropped, renamed or moved to another version, and by how many steps. " +
		"What came and went in between is not shown (puddle log shows it). Asks the running server, or opens the files when none runs."
}

func (diffCmd) example() string { return "WAREHOUSE FROM TO, as in: puddle diff lake seq:40 seq:42" }

func (diffCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused} }

// diffReport is the report of diff, and an answer of the route diff.
type diffReport struct {
	Warehouse  string           `json:"warehouse"`
	From       moment           `json:"from"`
	To         moment           `json:"to"`
	Namespaces []jsontext.Value `json:"namespaces"`
	Objects    []jsontext.Value `json:"objects"`
}

// Run reports.
func (d diffCmd) Run(s *session) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	return s.ask(c, func(asked *client) error { return d.report(s, asked) })
}

func (d diffCmd) report(s *session, asked *client) error {
	query := url.Values{"from": {d.From}, "to": {d.To}}
	all := diffReport{Namespaces: []jsontext.Value{}, Objects: []jsontext.Value{}}
	err := asked.pages(s.stop, "/warehouses/"+url.PathEscape(d.Warehouse)+"/diff", query, func(body []byte) error {
		var page diffReport
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		page.Namespaces, page.Objects = append(all.Namespaces, page.Namespaces...), append(all.Objects, page.Objects...)
		all = page
		query.Set("from", page.From.point())
		query.Set("to", page.To.point())
		return nil
	})
	switch {
	case err != nil:
		return err
	case d.JSON:
		return s.json(all)
	}
	return all.print(s)
}

func (r diffReport) print(s *session) error {
	var rows []table.Row
	for _, raw := range r.Namespaces {
		var n namespaceChange
		if err := json.Unmarshal(raw, &n); err != nil {
			return err
		}
		rows = append(rows, table.Row{n.Change, "namespace", n.Namespace.String(), n.ID, n.text()})
	}
	var objects []objectChange
	for _, raw := range r.Objects {
		var o objectChange
		if err := json.Unmarshal(raw, &o); err != nil {
			return err
		}
		objects = append(objects, o)
	}
	slices.SortStableFunc(objects, func(a, b objectChange) int { return strings.Compare(a.name(), b.name()) })
	for _, o := range objects {
		rows = append(rows, table.Row{strings.Join(o.Changes, ", "), o.Kind, o.name(), o.UUID, o.text()})
	}
	head := []string{r.Warehouse + " from " + r.From.text() + " to " + r.To.text()}
	if len(rows) == 0 {
		head = append(head, "nothing changed")
	}
	if err := s.lines(head); err != nil || len(rows) == 0 {
		return err
	}
	return s.table(table.Row{"change", "kind", "name", "uuid", "what"}, rows...)
}

// namespaceChange is one of a difference.
type namespaceChange struct {
	Namespace  journal.Namespace `json:"namespace"`
	ID         string            `json:"id"`
	Change     string            `json:"change"`
	Properties map[string]string `json:"properties"`
	Removed    []string          `json:"removed"`
}

// text names the properties that were set and removed.
func (n namespaceChange) text() string {
	var words []string
	for key, value := range n.Properties {
		words = append(words, key+"="+value)
	}
	slices.Sort(words)
	for _, key := range n.Removed {
		words = append(words, "without "+key)
	}
	return strings.Join(words, ", ")
}

// objectChange is one of a difference.
type objectChange struct {
	step
	Kind    string   `json:"kind"`
	UUID    string   `json:"uuid"`
	Changes []string `json:"changes"`
	Ahead   int      `json:"ahead"`
	Behind  int      `json:"behind"`
}

// name is the present one, or both where it was renamed.
func (o objectChange) name() string {
	if o.To != nil {
		o.Identifier = o.To.Identifier
	} else if o.From != nil {
		o.Identifier = o.From.Identifier
	}
	return o.names()
}

// text is the files, and by how many steps they differ.
func (o objectChange) text() string {
	switch {
	case o.Ahead > 0:
		return fmt.Sprintf("%s (%d ahead)", o.files(), o.Ahead)
	case o.Behind > 0:
		return fmt.Sprintf("%s (%d behind)", o.files(), o.Behind)
	}
	return o.files()
}
