package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// cleanTime bounds how long what is left is removed once the probe's own time is over.
const cleanTime = 5 * time.Second

// Run tries all steps on a store, in at most the time of ctx and a few seconds. A store
// that cannot be written is asked no further. Others may use it at the same time, and
// probe it too.
func Run(ctx context.Context, store warehouse.Store) Report {
	p := newProbe(ctx)
	p.store = store
	p.folder = warehouse.ProbeFolder + "/" + uuid.NewString()
	p.steps()
	p.clean()
	p.report.Took = time.Since(p.report.At)
	return p.report
}

// Look tries what can be tried on storage that is only read: whether it lets itself be
// listed.
func Look(ctx context.Context, store warehouse.Reader) Report {
	p := newProbe(ctx)
	p.try(List, func() error {
		for _, err := range store.List(ctx, "") {
			return err
		}
		return nil
	})
	p.report.Took = time.Since(p.report.At)
	return p.report
}

// probe is one run.
type probe struct {
	ctx    context.Context
	store  warehouse.Store
	folder string
	report Report
}

func newProbe(ctx context.Context) *probe { return &probe{ctx: ctx, report: Report{At: time.Now()}} }

// broken is what a store does otherwise than it must.
type broken struct{ what string }

func (b broken) Error() string { return b.what }

func brokenf(format string, args ...any) error { return broken{fmt.Sprintf(format, args...)} }

// errNone is of what a store does not have.
var errNone = errors.New("it has no such thing")

// try does one step and notes what came of it.
func (p *probe) try(name string, do func() error) Verdict {
	begun := time.Now()
	err := do()
	step := Step{Name: name, Verdict: Unseen, Took: time.Since(begun), Err: err}
	var other broken
	switch {
	case err == nil:
		step.Verdict = Holds
	case errors.As(err, &other):
		step.Verdict = Broken
	case errors.Is(err, warehouse.ErrDenied):
		step.Verdict = Denied
	case errors.Is(err, errNone):
		step.Verdict, step.Err = None, nil
	}
	p.report.Steps = append(p.report.Steps, step)
	return step.Verdict
}

func (p *probe) key(name string) string { return p.folder + "/" + name }

// steps tries all of them, until the store is away.
func (p *probe) steps() {
	written := time.Now()
	if p.try(Write, func() error { return p.create("a", "first") }) != Holds {
		return
	}
	done := time.Now()
	for _, s := range []struct {
		name, after string // the step that must hold before it is tried
		do          func() error
	}{
		{Read, "", func() error { return p.reads("a", "first") }},
		{Stat, "", func() error { return p.stats(written, done) }},
		{List, "", func() error { return p.lists("", "a") }},
		{CreateIfAbsent, "", p.createAgain},
		{Race, "", p.race},
		{Replace, "", func() error { return p.store.Put(p.ctx, p.key("a"), []byte("the second")) }},
		{ReadAfterReplace, Replace, func() error { return p.reads("a", "the second") }},
		{OddKeys, "", p.oddKeys},
		{Delete, "", func() error { return p.store.Delete(p.ctx, p.key("a")) }},
		{ReadAfterDelete, Delete, func() error { return p.gone("a") }},
		{ListAfterDelete, Delete, func() error { return p.unlisted("a") }},
		{BatchDelete, "", p.deleteMany},
		{Clock, Stat, p.clock},
	} {
		if s.after != "" && p.report.Of(s.after).Verdict != Holds {
			continue
		}
		if p.try(s.name, s.do); p.away() {
			return
		}
	}
}

// away tells whether the last two steps could not be asked for: then the next ones would
// only take long.
func (p *probe) away() bool {
	all := p.report.Steps
	return all[len(all)-1].Verdict == Unseen && all[len(all)-2].Verdict == Unseen
}

// clean removes what is still there, also when the time is over, and notes what stays.
func (p *probe) clean() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), cleanTime)
	defer cancel()
	var keys []string
	for entry, err := range p.store.List(ctx, p.folder) {
		if err != nil {
			if p.report.Of(Write).Verdict == Holds {
				p.report.Left = append(p.report.Left, p.folder+"/ (cannot be listed)")
			}
			break
		}
		keys = append(keys, entry.Key)
	}
	for _, key := range keys {
		if p.store.Delete(ctx, key) != nil {
			p.report.Left = append(p.report.Left, key)
		}
	}
}
