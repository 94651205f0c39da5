package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/cmd/puddle/config"
	"puddle/journal/bolt"
	"puddle/projections/pointers/sqlite"
)

// journalCmd groups what is done to the file of the journal.
type journalCmd struct {
	Compact compactCmd `cmd:"" help:"Make the journal smaller, while no server runs."`
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
		"Events are never left out, and so history stays whole, unless --prune-incarnations is given: then the pointer tables are put aside as well, " +
		"and the next start makes them anew of what is left. " +
		"Whatever happens meanwhile leaves the old journal or the new one. A journal in a database stays in its tables: there is no need to run this " +
		"but for the two options, which are carried out piece by piece, while no replica runs."
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
	After     int64            `json:"bytes-after"`                    // of a dry run about
	Aside     string           `json:"pointer-tables-aside,omitempty"` // where they were put; the next start makes them anew
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
	if configured.Metastore.Type == config.Postgres {
		return c.inDatabase(s, configured)
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
	counted := counting{to: s.stderr, now: time.Now}
	aside := ""
	o := bolt.CompactOptions{Prune: c.PruneIncarnations, Now: time.Now(), DryRun: c.DryRun, Progress: counted.tell}
	o.Pruning = func() (err error) {
		aside, err = setTablesAside(configured)
		return err
	}
	if c.DocumentsOlderThan != nil {
		o.Retain = *c.DocumentsOlderThan
	}
	done, err := bolt.Compact(s.stop, path, o)
	counted.end()
	if err == nil && !c.DryRun {
		err = os.RemoveAll(progressPath(configured.DataDir)) // what was counted is not what is there
	}
	if err := errors.Join(err, l.release()); err != nil {
		return compactFailed(err)
	}
	return c.report(s, path, aside, done)
}

// setTablesAside sets the file of the pointer tables aside, if there is one: the next
// start makes them anew. They hold steps of events that the journal is about to lose.
func setTablesAside(c config.Config) (aside string, err error) {
	aside, err = sqlite.SetAside(c.Metastore.SQLitePath, time.Now())
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return aside, err
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

// counting writes a line when something else is counted, every second, and with what it
// came to in the end.
type counting struct {
	to   io.Writer
	now  func() time.Time
	what string
	done int64
	last time.Time // when it was told, or began
	told bool      // done is
}

// tell is the progress of what is counted.
func (c *counting) tell(what string, done int64) {
	if what != c.what || done < c.done { // it is counted anew
		c.end()
		c.what, c.last = what, c.now()
	}
	c.done, c.told = done, false
	if at := c.now(); at.Sub(c.last) >= time.Second {
		c.last = at
		c.end()
	}
}

// end tells what it came to.
func (c *counting) end() {
	if c.what != "" && !c.told {
		c.told = true
		fmt.Fprintf(c.to, "puddle: %s: %d\n", c.what, c.done)
	}
}

func (c compactCmd) report(s *session, path, aside string, done bolt.Compacted) error {
	r := compactReport{Path: path, Aside: aside, DryRun: c.DryRun, Before: done.Before, After: done.After, Histories: []historyCompact{}}
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
	lines := []string{line}
	if r.Aside != "" {
		lines = append(lines, "pointer tables are put aside as "+r.Aside+": the next start makes them anew of what is left")
	}
	return s.lines(lines)
}
