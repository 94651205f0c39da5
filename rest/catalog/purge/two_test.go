package purge_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/leased"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/purge"
	"puddle/rest/catalog/purge/mark"
)

// decision is a change that another process decides under the lock: it asks the bar, and
// a while later its event is recorded, or refused.
type decision struct {
	bar     barred
	event   journal.Event
	record  func()
	locked  bool // it was let through, and is not recorded yet
	refused bool
	done    bool
}

func (d *decision) begin(t *testing.T) {
	t.Helper()
	var conflict *projections.Conflict
	err := d.bar.Refuse(ctx, d.event)
	d.locked, d.refused = err == nil, err != nil
	if d.refused && (!errors.As(err, &conflict) || conflict.Kind != projections.PurgeBegun) {
		t.Fatalf("refused: %v", err)
	}
}

func (d *decision) end() {
	if d.locked {
		d.record()
		d.locked, d.done = false, true
	}
}

// barred asks a bar about each event as in a turn of its own.
type barred struct {
	*world
	purge.Bar
}

func (b barred) Refuse(ctx context.Context, e journal.Event) error {
	return b.In(standing{b.recorder.Reader(lake)}).Refuse(ctx, e)
}

// standing is a reader as a turn reads.
type standing struct{ projections.Reader }

func (s standing) PurgesOf(ctx context.Context, tables ...uuid.UUID) (map[uuid.UUID]projections.Purge, error) {
	purges := map[uuid.UUID]projections.Purge{}
	for _, table := range tables {
		p, asked, err := s.Purge(ctx, table)
		if err != nil {
			return nil, err
		}
		if asked {
			purges[table] = p
		}
	}
	return purges, nil
}

// bar is that of the world.
func (w *world) bar() barred {
	return barred{w, purge.Bar{Own: w.files}}
}

// Another process brings the table back, or makes one where it was with files of the same
// names, and its decision begins and ends between any two things that the purge asks of
// its store. Either it is refused, or none of its files is ever gone.
func TestDecisionsElsewhere(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *world, *table) (journal.Body, func()){
		"comes back": func(t *testing.T, w *world, dead *table) (journal.Body, func()) {
			body := journal.TableRegistered{Moves: [1]journal.Move{{Kind: journal.Table, UUID: dead.id, To: dead.to(t)}}}
			return body, func() { w.record(t, body) }
		},
		"another is born": func(t *testing.T, w *world, dead *table) (journal.Body, func()) {
			next := plain("next", dead.location)
			return journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: next.id, To: next.to(t)}}}, func() { w.born(t, next) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			made, refused := 0, 0
			for begins := 0; ; begins++ {
				over := false
				for ends := begins; ends < begins+12; ends++ {
					d, calls := decideAmid(t, change, begins, ends)
					over = over || calls <= begins
					if d.done {
						made++
					} else if d.refused {
						refused++
					}
				}
				if over {
					break
				}
			}
			if made < 10 || refused < 10 {
				t.Errorf("%d made, %d refused", made, refused)
			}
		})
	}
}

// decideAmid runs a purge with a change that is decided from one call of the store on to
// another, and answers how many calls there were.
func decideAmid(t *testing.T, change func(*testing.T, *world, *table) (journal.Body, func()), begins, ends int) (*decision, int) {
	t.Helper()
	w := newWorld(t)
	defer w.stop(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	w.clock.now = w.clock.now.Add(grace)
	body, record := change(t, w, dead)
	d := &decision{bar: w.bar(), event: journal.Event{Body: body}, record: record}
	calls := 0
	o := w.failing(w.options(t), func(op faulty.Op, _ string) error {
		if op == faulty.List { // before the first pass
			return nil
		}
		if calls == begins && len(w.pending(t)) > 0 {
			d.begin(t)
		}
		if calls == ends {
			d.end()
		}
		calls++
		return nil
	})
	o.Parallel, o.Batch = 1, 3
	o.Fence = func(context.Context) error {
		d.end() // it is waited for
		return nil
	}
	outcomes(t, o, 1)
	d.end()
	if d.done {
		w.wantLeft(t, dead.own...)
	} else {
		w.wantLeft(t)
	}
	w.wantMarks(t)
	return d, calls
}

// Who decided that a table comes back, and was stopped until its purge was closed, is
// refused: its files are gone. Who has put them back since registers it.
func TestBarAfterAPurge(t *testing.T) {
	w := newWorld(t)
	defer w.stop(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	back := [1]journal.Move{{Kind: journal.Table, UUID: dead.id, To: dead.to(t)}}
	undropped, registered := journal.Event{Body: journal.TableUndropped{Moves: back}}, journal.Event{Body: journal.TableRegistered{Moves: back}}
	bar := w.bar()
	bar.Bar.Roots = w.roots(t)
	for _, e := range []journal.Event{undropped, registered} {
		if err := bar.Refuse(ctx, e); err != nil {
			t.Errorf("before the purge: %v", err)
		}
	}
	w.clock.now = w.clock.now.Add(grace)
	outcomes(t, w.options(t), 1)
	var conflict *projections.Conflict
	for _, e := range []journal.Event{undropped, registered} {
		if err := bar.Refuse(ctx, e); !errors.As(err, &conflict) || conflict.Kind != projections.PurgeBegun || conflict.Holder != dead.id {
			t.Errorf("after the purge: %v", err)
		}
	}
	w.store(t, dead)
	if err := bar.Refuse(ctx, registered); err != nil {
		t.Errorf("its files are back: %v", err)
	}
	if err := bar.Refuse(ctx, undropped); !errors.As(err, &conflict) {
		t.Errorf("it is undropped as if it had not been purged: %v", err)
	}
}

// An object that had its place before may go on having it while the purge of another one
// there is under way; a bar that cannot look refuses.
func TestBar(t *testing.T) {
	w := fresh(t)
	dead, old := plain("dead", root+"/a"), marked("old", root+"/a/data", "old-")
	w.dropped(t, dead)
	w.create(t, old)
	must(t, mark.Write(ctx, w.files, mark.Mark{Table: dead.id, Drop: w.pending(t)[0].Drop, BegunAt: w.clock.now}))
	ofNone := uuid.New()
	must(t, mark.Write(ctx, w.files, mark.Mark{Table: old.id, Drop: ofNone, BegunAt: w.clock.now}))
	commit := func(of *table) journal.Event {
		return journal.Event{Body: journal.TablesCommitted{Moves: []journal.Move{{Kind: journal.Table, UUID: of.id, From: &journal.From{}, To: of.to(t)}}}}
	}
	far, gone := plain("far", root+"/b"), journal.Event{Body: journal.TableDropped{Moves: [1]journal.Move{{UUID: dead.id, From: &journal.From{}}}}}
	for _, e := range []journal.Event{commit(old), commit(far), gone} {
		if err := w.bar().Refuse(ctx, e); err != nil {
			t.Errorf("refused: %v", err)
		}
	}
	must(t, mark.Remove(ctx, w.files, w.pending(t)[0].Drop))
	must(t, mark.Remove(ctx, w.files, ofNone))
	if err := (purge.Bar{Own: w.files}).In(nil).Refuse(ctx, commit(old)); err != nil { // the journal is not asked
		t.Errorf("a commit while no purge runs: %v", err)
	}
	must(t, mark.Write(ctx, w.files, mark.Mark{Table: dead.id, Drop: w.pending(t)[0].Drop, BegunAt: w.clock.now}))
	silent := w.bar()
	silent.Bar.Own = faulty.New(w.files, func(faulty.Op, string) faulty.Fault { return faulty.Before(errInjected) })
	var conflict *projections.Conflict
	if err := silent.Refuse(ctx, commit(far)); !errors.As(err, &conflict) || conflict.Holder != uuid.Nil {
		t.Errorf("it cannot look: %v", err)
	}
	moved := marked("moved", root+"/a/metadata", "m-")
	if err := w.bar().Refuse(ctx, commit(moved)); !errors.As(err, &conflict) || conflict.Holder != dead.id {
		t.Errorf("a new place: %v", err)
	}
}

// A job is paused before any of its writes, another one closes the purge, and then the
// first wakes up without its lease: what it was writing happens, and nothing else. The
// purge is closed once, and nothing but its files is gone.
func TestPausedJobWakesUp(t *testing.T) {
	for at := range 22 {
		w := newWorld(t)
		dead, live := plain("dead", root+"/a"), marked("live", root+"/b", "live-")
		w.dropped(t, dead)
		w.create(t, live)
		w.clock.now = w.clock.now.Add(grace)
		var once sync.Once
		var lost error
		calls := 0
		o := w.options(t)
		o.Parallel = 1
		under := faulty.New(w.files, func(op faulty.Op, _ string) faulty.Fault {
			if op != faulty.Put && op != faulty.Delete {
				return faulty.Fault{}
			}
			if calls++; calls > at {
				once.Do(func() {
					lost = errInjected
					if len(w.pending(t)) > 0 {
						outcomes(t, w.options(t), 1)
					}
				})
			}
			return faulty.Fault{}
		})
		o.Roots = leased.Roots(warehouse.Roots{{URL: o.Roots[0].URL, Location: o.Roots[0].Location, Store: under}}, func() error { return lost })
		o.Forget = func(context.Context, uuid.UUID) error { return nil }
		outcomes(t, o, 1)
		w.wantLeft(t, live.own...)
		if len(w.pending(t)) > 0 || !slices.Equal(w.left(t), slices.Sorted(slices.Values(live.own))) {
			t.Errorf("paused at %d: %d pending", at, len(w.pending(t)))
		}
		w.wantClosedOnce(t, w.closing(t).Drop)
		w.stop(t)
	}
}
