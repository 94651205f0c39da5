package main

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
)

// repointCmd swaps a pointer.
type repointCmd struct {
	Warehouse   string `arg:"" help:"Its name."`
	Table       string "arg:\"\" help:\"ns.name (a level with a dot in backquotes) or a UUID.\""
	To          string `placeholder:"FILE" xor:"to" required:"" help:"The location of the metadata file to move it to."`
	Newest      bool   `xor:"to" required:"" help:"To the file that descends from the present one and that none descends from. Tables only."`
	Expect      string `placeholder:"FILE" help:"Only if this is the present metadata file."`
	AllowRewind bool   `help:"Also to a file that does not descend from the present one."`
	Force       bool   `help:"Also where counters go back or cannot be compared, and to a location that the table never had."`
	Reason      string `placeholder:"TEXT" required:"" help:"Why; kept in the event."`
	DryRun      bool   `help:"Say what would be done, and do nothing."`
	JSON        bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (repointCmd) Help() string {
	return "In one step, which engines see as a commit: never drop and register. The file must be one of this table or view; the present " +
		"one need not be there any more. Look at what would be done with --dry-run first."
}

func (repointCmd) example() string {
	return "WAREHOUSE TABLE, as in: puddle repoint lake sales.orders --newest --reason TEXT"
}

func (repointCmd) exits() []int {
	return []int{codeFindings, codeNoLook, codeRefused, codeUnknown}
}

// repointPage is what people are shown of an answer of the route repoint.
type repointPage struct {
	Kind       string             `json:"kind"`
	UUID       string             `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	From       pointerPage        `json:"from"`
	To         pointerPage        `json:"to"`
	Changed    bool               `json:"changed"`
	Rewind     bool               `json:"rewind"`
	Lowered    []struct {
		Counter string `json:"counter"`
		From    int64  `json:"from"`
		To      int64  `json:"to"`
	} `json:"lowered"`
	NotUsed []struct {
		MetadataLocation string `json:"metadata-location"`
		Reason           string `json:"reason"`
	} `json:"not-used"`
}

type pointerPage struct {
	MetadataLocation string `json:"metadata-location"`
}

// Run does it, and reports.
func (r repointCmd) Run(s *session) error {
	return s.change(func(asked *client) error {
		answer, err := asked.post(s.stop, "/warehouses/"+url.PathEscape(r.Warehouse)+"/repoint", r.body())
		if err != nil {
			return err
		}
		if r.JSON {
			return s.json(jsontext.Value(answer))
		}
		var page repointPage
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		return page.print(s, r.DryRun)
	})
}

func (r repointCmd) body() any {
	return struct {
		Table       string `json:"table"`
		To          string `json:"to,omitempty"`
		Newest      bool   `json:"newest"`
		Expect      string `json:"expect,omitempty"`
		AllowRewind bool   `json:"allow-rewind"`
		Force       bool   `json:"force"`
		Reason      string `json:"reason"`
		DryRun      bool   `json:"dry-run"`
	}{r.Table, r.To, r.Newest, r.Expect, r.AllowRewind, r.Force, r.Reason, r.DryRun}
}

func (p repointPage) print(s *session, dryRun bool) error {
	is := "is moved"
	switch {
	case !p.Changed:
		is = "is there already: nothing is changed"
	case dryRun:
		is = "would be moved"
	}
	lines := []string{fmt.Sprintf("%s %s (%s) %s", p.Kind, p.Identifier.Quoted(), p.UUID, is)}
	if p.Changed {
		lines = append(lines, "from "+p.From.MetadataLocation)
	}
	lines = append(lines, "to   "+p.To.MetadataLocation)
	if p.Rewind {
		lines = append(lines, "which does not descend from the one before")
	}
	for _, l := range p.Lowered {
		lines = append(lines, fmt.Sprintf("%s goes back from %d to %d", l.Counter, l.From, l.To))
	}
	for _, n := range p.NotUsed {
		lines = append(lines, fmt.Sprintf("not used: %s: %s", n.MetadataLocation, n.Reason))
	}
	return s.lines(lines)
}
