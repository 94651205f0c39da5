package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"

	store "puddle/internal/warehouse"
	"puddle/journal"
)

// statusCmd tells how the catalog is.
type statusCmd struct {
	JSON   bool `name:"json" xor:"as" help:"One JSON document."`
	Nagios bool `name:"nagios" xor:"as" help:"One line and the exit code of a monitoring plugin."`
}

// Help is the detail of the help text.
func (statusCmd) Help() string {
	return "Heads, whether what follows the journal is caught up, purges of dropped tables, whether changes are taken, and room on the disks. " +
		"Asks the running server, or opens the files when none runs: then nothing is purged.\n\n" +
		"With --nagios the exit codes are those of monitoring plugins: 0 OK, 1 WARNING, 2 CRITICAL (somebody must do something, or no server " +
		"runs), 3 UNKNOWN (it could not look, usage and configuration included). Only a running server is asked, and the files are left alone."
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
		Storage *storagePage `json:"storage"`
		Tables  struct {
			Behind uint64 `json:"behind"`
		} `json:"tables"`
		Anchor *struct {
			Behind uint64 `json:"behind"`
		} `json:"anchor"` // nil: there is none here
		Sidecars *struct {
			Behind uint64 `json:"behind"`
			Age    int64  `json:"age"`
		} `json:"sidecars"` // nil: there are none here
		Archive *archivePage `json:"archive"` // nil: nobody tells
		Proofs  []struct {
			Level int    `json:"level"`
			At    string `json:"at"`
			Age   int64  `json:"age"`
		} `json:"proofs"`
		Purges purgesPage `json:"purges"`
	} `json:"warehouses"`
	Writer struct {
		State   string `json:"state"`
		Waiting int    `json:"waiting"`
	} `json:"writer"`
	Room     roomPage        `json:"room"`
	Warnings []statusWarning `json:"warnings"`
}

// roomPage is what files take, and disks have.
type roomPage struct {
	Files []struct {
		Name  string `json:"name"`
		Bytes int64  `json:"bytes"`
		Free  int64  `json:"free"`
	} `json:"files"`
	Disks []struct {
		Name  string `json:"name"`
		Free  int64  `json:"free"`
		Least int64  `json:"least"`
		Error string `json:"error"`
	} `json:"disks"`
}

// statusWarning is something to look at.
type statusWarning struct {
	Warehouse string `json:"warehouse"`
	Critical  bool   `json:"critical"`
	Message   string `json:"message"`
}

// String names the warehouse, if it is about one.
func (w statusWarning) String() string {
	if w.Warehouse == "" {
		return w.Message
	}
	return w.Warehouse + ": " + w.Message
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
	if c.Nagios {
		return c.check(s)
	}
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
		err = s.json(jsontext.Value(body))
	} else {
		err = page.print(s, asked.live)
	}
	if err != nil {
		return err
	}
	switch n := len(page.Warnings); page.state() {
	case pluginCritical:
		return fail(codeFindings, "warnings: %d, of which some are critical", n)
	case pluginWarning:
		return fail(codeWarnings, "warnings: %d", n)
	}
	return nil
}

func (p statusPage) print(s *session, live bool) error {
	var rows []table.Row
	for _, w := range p.Warehouses {
		anchor, sidecars := "none", "none"
		if !live {
			anchor, sidecars = "not looked at", "not looked at"
		}
		if w.Anchor != nil {
			anchor = lag(w.Anchor.Behind)
		}
		if w.Sidecars != nil {
			sidecars = lag(w.Sidecars.Behind)
		}
		rows = append(rows, table.Row{w.Warehouse, w.Head.Seq.String(), w.Incarnation.String(), lag(w.Tables.Behind), w.Purges.String(), anchor, sidecars})
	}
	if err := s.table(table.Row{"warehouse", "head", "incarnation", "tables", "purges", "anchor", "sidecars"}, rows...); err != nil {
		return err
	}
	return s.lines(append(p.surroundings(live), p.told()...))
}

// lag words how many events are missing.
func lag(events uint64) string {
	switch events {
	case 0:
		return "caught up"
	case 1:
		return "1 event behind"
	}
	return fmt.Sprintf("%d events behind", events)
}

// surroundings are the writer, the files and the disks, a line each.
func (p statusPage) surroundings(live bool) []string {
	lines := []string{"no server runs on this data folder"}
	if live {
		lines = []string{fmt.Sprintf("writer: %s, %d waiting", p.Writer.State, p.Writer.Waiting)}
	}
	for _, w := range p.Warehouses {
		line := "verified " + w.Warehouse + ": never, as a whole"
		for i, proof := range w.Proofs {
			if i == 0 {
				line = "verified " + w.Warehouse + ":"
			}
			line += fmt.Sprintf(" level %d at %s", proof.Level, proof.At)
		}
		lines = append(lines, line)
	}
	for _, w := range p.Warehouses {
		if w.Storage != nil && w.Storage.Kind != string(store.FamilyFile) {
			lines = append(lines, "storage "+w.Warehouse+": "+w.Storage.String())
		}
	}
	for _, w := range p.Warehouses {
		if w.Archive != nil {
			lines = append(lines, "archive "+w.Warehouse+": "+w.Archive.String())
		}
	}
	for _, f := range p.Room.Files {
		line := fmt.Sprintf("file %s: %d bytes", f.Name, f.Bytes)
		if f.Free > 0 {
			line += fmt.Sprintf(", %d of them free", f.Free)
		}
		lines = append(lines, line)
	}
	for _, d := range p.Room.Disks {
		if d.Error == "" {
			lines = append(lines, fmt.Sprintf("disk %s: %d bytes free", d.Name, d.Free))
		}
	}
	return lines
}

// told are the warnings, a line each.
func (p statusPage) told() []string {
	var lines []string
	for _, w := range p.Warnings {
		how := "warning: "
		if w.Critical {
			how = "critical: "
		}
		lines = append(lines, how+w.String())
	}
	return lines
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
