package main

import (
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
)

// undropCmd brings a dropped object back.
type undropCmd struct {
	Warehouse string `arg:"" help:"Its name."`
	Table     string "arg:\"\" help:\"What it was dropped as: ns.name (a level with a dot in backquotes), or its UUID.\""
	As        string `placeholder:"NAME" help:"Another name to come back under: ns.name."`
	DryRun    bool   `help:"Say what would be done, and do nothing."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (undropCmd) Help() string {
	return "As it was: its UUID, its history, its metadata file. By name for as long as drop.keep of the warehouse says, the last that was " +
		"dropped as it; by UUID for as long as the journal has it. Until purge.grace is over it also cancels a purge."
}

func (undropCmd) example() string { return "WAREHOUSE TABLE, as in: puddle undrop lake sales.orders" }

func (undropCmd) exits() []int {
	return []int{codeFindings, codeNoLook, codeRefused, codeUnknown}
}

// undropPage is what people are shown of an answer of the route undrop.
type undropPage struct {
	Kind             string             `json:"kind"`
	UUID             string             `json:"uuid"`
	Identifier       journal.Identifier `json:"identifier"`
	MetadataLocation string             `json:"metadata-location"`
	DroppedAs        journal.Identifier `json:"dropped-as"`
	DroppedAt        string             `json:"dropped-at"`
	PurgeCancelled   bool               `json:"purge-cancelled"`
	Others           []struct {
		UUID      string `json:"uuid"`
		DroppedAt string `json:"dropped-at"`
	} `json:"others"`
}

// Run does it, and reports.
func (u undropCmd) Run(s *session) error {
	return s.change(func(asked *client) error {
		answer, err := asked.post(s.stop, "/warehouses/"+url.PathEscape(u.Warehouse)+"/undrop", struct {
			Table  string `json:"table"`
			As     string `json:"as,omitempty"`
			DryRun bool   `json:"dry-run"`
		}{u.Table, u.As, u.DryRun})
		if err != nil {
			return err
		}
		if u.JSON {
			return s.json(jsontext.Value(answer))
		}
		var page undropPage
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		return page.print(s, u.DryRun)
	})
}

func (p undropPage) print(s *session, dryRun bool) error {
	is, purge := "is back", "its purge is cancelled"
	if dryRun {
		is, purge = "would come back", "its purge would be cancelled"
	}
	lines := []string{
		fmt.Sprintf("%s %s (%s) %s", p.Kind, p.Identifier.Quoted(), p.UUID, is),
		fmt.Sprintf("dropped as %s at %s", p.DroppedAs.Quoted(), p.DroppedAt),
		"at " + p.MetadataLocation,
	}
	if p.PurgeCancelled {
		lines = append(lines, purge)
	}
	for _, other := range p.Others {
		lines = append(lines, fmt.Sprintf("dropped as %s too: %s at %s", p.DroppedAs.Quoted(), other.UUID, other.DroppedAt))
	}
	return s.lines(lines)
}
