package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/recover"
	"puddle/recover/verify"
)

// verification is one run of verify, over files that somebody has opened.
type verification struct {
	verifyRequest
	warehouses []*warehouse                          // configured and asked for, with their roots
	all        bool                                  // also those that the journal alone knows
	journal    journal.Journal                       // nil: it is damaged, which was told
	tables     projections.Store                     // nil: there are none
	serving    func(id uuid.UUID) projections.Reader // nil: nobody is served
	// makeTables makes the pointer tables anew, and says where the old ones are, if they
	// are kept, also when it fails after that; nil: not while a server runs.
	makeTables func(context.Context) (projections.Store, string, error)
	say        func(verifyLine)
	openFold   func() (projections.Store, func() error, error) // empty tables, to fold the journal into
	progress   progressFile

	beside    bool // the tables can be made anew beside servers
	ephemeral bool // all is in memory: nothing in the warehouses says whose they are
	strays    bool // the pointer tables hold what the journal does not know
	pagesBad  bool // the journal's file is not put together as it should be
}

// unsettled is how long a file that nobody names is left alone beside a server: far
// longer than a request takes.
const unsettled = 10 * time.Minute

// run looks, repairs if that is asked for, and looks again at what it repaired.
func (v *verification) run(ctx context.Context) {
	began := v.progress.begin(&v.verifyRequest, time.Now())
	end := verifyEnd{}
	v.checkPages(ctx)
	results, closeFold, err := v.look(ctx, &v.progress, func(f verify.Finding) { v.say(verifyLine{Finding: &f}) })
	err = errors.Join(err, v.progress.end(err == nil))
	for _, r := range results {
		v.say(verifyLine{Summary: &r.result.Summary})
	}
	if err == nil && v.Repair {
		end, err = v.repair(ctx, results)
	}
	err = errors.Join(err, closeFold())
	if err == nil && end.Mended {
		_, closeFold, err = v.look(ctx, &progressFile{}, func(f verify.Finding) { v.say(verifyLine{Left: &f}) })
		err = errors.Join(err, closeFold())
	}
	if end.Began = began; err != nil {
		end.Error = err.Error()
	}
	v.say(verifyLine{End: &end})
}

// looked is a warehouse and what came of looking at it.
type looked struct {
	warehouse verify.Warehouse
	result    verify.Result
}

// look looks at all that is asked for. What it answers holds until the fold is closed.
func (v *verification) look(ctx context.Context, progress *progressFile, found func(verify.Finding)) (all []looked, closeFold func() error, err error) {
	closeFold = func() error { return nil }
	if v.journal == nil {
		return nil, closeFold, nil
	}
	sink := verifySink{found, v.say}
	subjects, err := v.subjects(ctx, sink)
	if err != nil {
		return nil, closeFold, err
	}
	var fold projections.Store
	if v.openFold != nil && v.Level > 1 {
		if fold, closeFold, err = v.openFold(); err != nil {
			return nil, closeFold, fmt.Errorf("the journal cannot be folded: %w", err)
		}
	}
	var results []verify.Result
	for _, w := range subjects {
		w.Fold = fold
		result, err := verify.Run(ctx, w, verify.Options{
			Level: v.Level, Sample: v.Sample, Seed: v.Seed, Began: time.Now(),
			From: progress.of(w.ID), NotFrom: progress.unusable, Reached: progress.reached,
		}, sink)
		if err != nil {
			return all, closeFold, err
		}
		all, results = append(all, looked{w, result}), append(results, result)
	}
	verify.Twice(ctx, results, sink)
	return all, closeFold, nil
}

// subjects are the warehouses to look at: those that a start would bind, and what
// else the journal holds.
func (v *verification) subjects(ctx context.Context, sink verifySink) (all []verify.Warehouse, err error) {
	binder := recover.Binder{Journal: v.journal, Tables: v.tables}
	if v.tables == nil {
		binder.Tables = projections.NewMemory()
	}
	bound := map[uuid.UUID]bool{}
	for _, w := range v.warehouses {
		id, err := w.id, error(nil)
		if !v.ephemeral {
			id, err = verify.Subject(ctx, binder, recover.Warehouse{Name: w.Name, Location: w.Root.URL, Store: w.roots[0].Store}, sink)
		}
		if err != nil {
			sink.Unseen(verify.Unseen{Warehouse: w.Name, Place: w.Root.URL, Message: w.hint(err).Error()})
		}
		if id == uuid.Nil {
			continue
		}
		bound[id] = true
		subject := v.subject(w.Name, id)
		subject.Location, subject.Roots, subject.Externals = w.Root.URL, w.roots, w.reads[len(w.roots):]
		all = append(all, subject)
	}
	if err := v.stray(ctx, sink); err != nil {
		return nil, err
	}
	ids, err := v.journal.Warehouses(ctx)
	var damage *journal.Damage
	if errors.As(err, &damage) {
		sink.Found(verify.Finding{Level: 1, Severity: verify.Error, Kind: verify.KindJournal, Place: "journal",
			Message: damage.Error(), Next: "puddle recover"})
		return all, nil
	}
	for _, id := range ids {
		if v.all && !bound[id] {
			all = append(all, v.subject(id.String(), id))
		}
	}
	return all, err
}

// stray tells of pointer tables whose journal is not this one.
func (v *verification) stray(ctx context.Context, sink verifySink) error {
	tables, ok := v.tables.(recover.Lister)
	if !ok {
		return nil
	}
	err := recover.Stray(ctx, v.journal, tables)
	var refusal *recover.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	v.strays = true
	sink.Found(verify.Finding{Level: 1, Severity: verify.Error, Kind: verify.KindTables, Place: "pointer tables",
		Message: refusal.Reason, Next: refusal.Command})
	return nil
}

func (v *verification) subject(name string, id uuid.UUID) verify.Warehouse {
	w := verify.Warehouse{Name: name, ID: id, Journal: v.journal, Tables: v.tables, Ephemeral: v.ephemeral, Beside: v.beside}
	w.Auditor, _ = v.journal.(journal.Auditor)
	if v.serving != nil {
		w.Now, w.Settling = v.serving(id), &verify.Settling{At: time.Now(), Age: unsettled}
	}
	return w
}

// repair mends what was found, files first.
func (v *verification) repair(ctx context.Context, all []looked) (end verifyEnd, err error) {
	sink := verifySink{func(f verify.Finding) {
		end.Mended = end.Mended || f.Kind == verify.KindRepaired && !v.DryRun
		v.say(verifyLine{Repair: &f})
	}, v.say}
	differ, whole := false, !v.strays && !v.pagesBad && v.journal != nil
	for _, l := range all {
		differ, whole = differ || l.result.TablesDiffer, whole && l.result.Whole
		m := verify.Repair{DryRun: v.DryRun, At: time.Now()}
		if err := m.Mend(ctx, l.warehouse, l.result, sink); err != nil {
			return end, err
		}
	}
	if differ {
		v.mendTables(ctx, whole, sink)
	}
	if !whole && !end.Mended {
		end.Refused = "the journal is damaged, or not the newest: nothing is repaired by what it says"
	}
	return end, nil
}

// mendTables sets the pointer tables aside and makes them anew.
func (v *verification) mendTables(ctx context.Context, whole bool, sink verifySink) {
	f := verify.Finding{Level: 2, Severity: verify.Error, Kind: verify.KindRefused, Place: "pointer tables"}
	switch {
	case !whole:
		f.Message, f.Next = "the journal is damaged, or not the newest: they may be all that is left of what it has lost", "puddle recover"
	case v.makeTables == nil:
		f.Message, f.Next = "a server has them open", "stop it, and then puddle verify --level 2 --repair"
	case v.DryRun:
		f.Severity, f.Kind, f.Message = verify.Note, verify.KindRepaired, "they would be set aside, and made anew from the journal"
		if v.beside {
			f.Message = "they would be made anew from the journal"
		}
	default:
		made, aside, err := v.makeTables(ctx)
		if err != nil && aside != "" {
			err = fmt.Errorf("%w; what was there is kept as %s", err, aside)
		}
		if err != nil {
			sink.Unseen(verify.Unseen{Place: "pointer tables", Message: err.Error()})
			return
		}
		v.tables = made
		f.Severity, f.Kind, f.Message = verify.Note, verify.KindRepaired, "they are made anew from the journal"
		if aside != "" {
			f.Message += "; what was there is kept as " + aside
		}
	}
	sink.Found(f)
}

// verifySink says what it is told.
type verifySink struct {
	found func(verify.Finding)
	say   func(verifyLine)
}

func (s verifySink) Found(f verify.Finding) { s.found(f) }

func (s verifySink) Unseen(u verify.Unseen) { s.say(verifyLine{Unseen: &u}) }

func (s verifySink) Progress(warehouse string, level int, done, all int64) {
	s.say(verifyLine{Progress: &verifyProgress{warehouse, level, done, all}})
}
