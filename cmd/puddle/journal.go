package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/journal/bolt"
)

// journalCmd groups what is done to the file of the journal.
type journalCmd struct {
	Compact compactCmd `cmd:"" help:"Make the journal's file smaller, while no server runs."`
}

// compactCmd compacts the journal.
type compactCmd struct {
	PruneIncarnations  bool           `help:"Leave out what earlier incarnations recorded. It is gone then: copy the journal first."`
	DocumentsOlderThan *time.Duration `placeholder:"DURATION" help:"Erase the copies of metadata files that are older, such as 2160h, but for the newest of every table and view. They are gone then: copy the journal first."`
	DryRun             bool           `help:"Check the journal, say what would be done, and do nothing."`
	JSON               bool           `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (compactCmd) Help() string {
	return "The file never shrinks by itself. All events and documents are copied to a new file beside it, which is synced, read back and " +
		"checked as a whole before it takes the name of the old one, which is then gone. That needs as much room as the new file has. " +
		"Events are never left out, and so history stays whole. " +
		"Whatever happens meanwhile leaves the old journal or the new one."
}

func (compactCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused} }

// Validate refuses an age that is none.
func (c compactCmd) Validate() error {
	if c.DocumentsOlderThan != nil && *c.DocumentsOlderThan <= 0 {
		return fmt.Errorf("--documents-older-than is %s: it must be above 0", *c.DocumentsOlderThan)
	}
	return nil
}

// compactReport is what was done, or would be.
type compactReport struct {
	Path      string           `json:"path"`
	DryRun    bool             `json:"dry-run"`
	Before    int64            `json:"bytes-before"`
	After     int64            `json:"bytes-after"` // of a dry run about
	Histories []historyCompact `json:"histories"`
}

type historyCompact struct {
	Warehouse   string `json:"warehouse"`
	ID          string `json:"id"`
	Incarnation string `json:"incarnation"`
	Current     bool   `json:"current"`
	Events      int64  `json:"events"`
	Bytes       int64  `json:"bytes"`
	Pruned      bool   `json:"pruned"`
	Erased      int64  `json:"documents-erased"`
}

// Run compacts.
func (c compactCmd) Run(s *session) error {
	configured, err := s.config()
	if err != nil {
		return err
	}
	l, err := acquire(configured.DataDir)
	var busy *held
	switch {
	case errors.As(err, &busy):
		return fail(codeNoLook, "%w: stop the server first", busy)
	case errors.Is(err, os.ErrNotExist):
		return fail(codeNoLook, "there is no catalog in %s yet", configured.DataDir)
	case err != nil:
		return noLook(err)
	}
	path := configured.Journal.Path
	o := bolt.CompactOptions{Prune: c.PruneIncarnations, Now: time.Now(), DryRun: c.DryRun, Progress: progressTo(s.stderr, time.Now)}
	if c.DocumentsOlderThan != nil {
		o.Retain = *c.DocumentsOlderThan
	}
	done, err := bolt.Compact(s.stop, path, o)
	if err == nil && !c.DryRun {
		err = os.RemoveAll(progressPath(configured.DataDir)) // what was counted is not what is there
	}
	if err := errors.Join(err, l.release()); err != nil {
		return compactFailed(err)
	}
	return c.report(s, path, done)
}

// compactFailed gives an error its exit code.
func compactFailed(err error) error {
	switch {
	case errors.Is(err, bolt.ErrDoubtful):
		return fail(codeRefused, "%w: start the server once", err)
	case errors.Is(err, context.Canceled):
		return fail(codeFindings, "stopped: the journal is as it was")
	}
	return noLook(damaged(err))
}

// progressTo writes a line when something else is counted, and every second.
func progressTo(w io.Writer, now func() time.Time) func(string, int64) {
	var last time.Time
	counted := ""
	return func(what string, done int64) {
		if at := now(); what != counted || at.Sub(last) >= time.Second {
			last, counted = at, what
			fmt.Fprintf(w, "puddle: %s: %d\n", what, done)
		}
	}
}

func (c compactCmd) report(s *session, path string, done bolt.Compacted) error {
	r := compactReport{Path: path, DryRun: c.DryRun, Before: done.Before, After: done.After, Histories: []historyCompact{}}
	for _, h := range done.Histories {
		r.Histories = append(r.Histories, historyCompact{
			h.Name, h.Warehouse.String(), h.Incarnation.String(), h.Current, h.Events, h.Bytes, h.Pruned, h.Erased,
		})
	}
	if c.JSON {
		return s.json(r)
	}
	return r.print(s)
}

func (r compactReport) print(s *session) error {
	var rows []table.Row
	for _, h := range r.Histories {
		state := "old"
		switch {
		case h.Current:
			state = "current"
		case h.Pruned && r.DryRun:
			state = "would be pruned"
		case h.Pruned:
			state = "pruned"
		}
		rows = append(rows, table.Row{h.Warehouse, h.Incarnation, state, fmt.Sprint(h.Events), fmt.Sprint(h.Bytes), fmt.Sprint(h.Erased)})
	}
	if err := s.table(table.Row{"warehouse", "incarnation", "state", "events", "bytes", "documents erased"}, rows...); err != nil {
		return err
	}
	line := fmt.Sprintf("%s: %d bytes became %d", r.Path, r.Before, r.After)
	if r.DryRun {
		line = fmt.Sprintf("%s: %d bytes would become about %d", r.Path, r.Before, r.After)
	}
	return s.lines([]string{line})
}
