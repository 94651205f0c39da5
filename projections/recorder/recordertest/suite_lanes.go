package recordertest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
)

// testBirths: a warehouse that is born while recorders run is recorded for.
func testBirths(w *world) {
	one, two := w.record(w.one), w.record(w.two)
	sea := uuid.New()
	if _, err := one.Record(ctx, Namespace(sea, "a")); !errors.Is(err, journal.ErrNoWarehouse) {
		w.Errorf("before its birth: %v", err)
	}
	journaltest.Append(w, w.Journal, journaltest.Entries(w, journaltest.NewStory(sea).Drafts, journaltest.Start))
	if err := projections.CatchUp(ctx, w.Journal.Warehouse(sea), 0, w.one.Warehouse(sea)); err != nil {
		w.Fatal(err)
	}
	w.must(one, Namespace(sea, "a"))
	if err := two.Remember(ctx, sea, Conflicted(Key(0))); err != nil {
		w.Error(err)
	}
}

// testLanesAreApart: while the turn of one warehouse does not begin, or fails, the
// other goes on; and so does the first when it can.
func testLanesAreApart(w *world) {
	inside, on := make(chan struct{}), make(chan error)
	r := w.record(Hooked(w.one, Lake, func(step string, done bool) error {
		if step != "begin" || done {
			return nil
		}
		inside <- struct{}{}
		return <-on
	}))
	for n, fails := range []error{nil, ErrInjected, nil} {
		name := fmt.Sprint("n", n)
		heard := make(chan error, 1)
		go func() {
			_, err := r.Record(ctx, Namespace(Lake, name))
			heard <- err
		}()
		<-inside
		hangUp, cancel := context.WithCancel(ctx)
		waits := make(chan error, 1)
		go func() {
			_, err := r.Record(hangUp, Namespace(Lake, "who waits may go"))
			waits <- err
		}()
		w.must(r, Namespace(Pond, name))
		if err := r.Remember(ctx, Pond, Conflicted(Key(n))); err != nil {
			w.Error(err)
		}
		cancel()
		if err := <-waits; !errors.Is(err, recorder.ErrNotRecorded) || !errors.Is(err, context.Canceled) {
			w.Errorf("who hung up was told: %v", err)
		}
		on <- fails
		if err := <-heard; !errors.Is(err, fails) || errors.Is(err, recorder.ErrNotRecorded) != (fails != nil) {
			w.Errorf("%s: %v", name, err)
		}
		if err := r.Ready(); err != nil {
			w.Errorf("ready: %v", err)
		}
	}
}

// baseless is the draft of a table whose metadata file is kept as a patch on one that
// is not there: nobody knows before it is to be stored.
func baseless(name string) journal.Draft {
	plain := make([]byte, 4*journal.MinPatched)
	d := Create(Lake, "a", name)
	patch, _ := journal.KeepPatch(0, plain, journal.Base{Seq: 1}, plain, journal.MaxDocumentBytes)
	d.Documents = []journal.Document{patch}
	return d
}

// testOneIsRefused: what the journal refuses for a draft among others is refused to
// that one alone, and to it with the reason.
func testOneIsRefused(w *world) {
	inside, on := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r := w.record(Hooked(w.one, Lake, func(string, bool) error {
		once.Do(func() {
			close(inside)
			<-on
		})
		return nil
	}))
	first := make(chan error, 1)
	go func() {
		_, err := r.Record(ctx, Namespace(Lake, "a"))
		first <- err
	}()
	<-inside
	const drafts = 9
	type heard struct {
		refused bool
		err     error
	}
	answers := make(chan heard, drafts)
	for n := range drafts {
		go func() {
			d, refused := Create(Lake, "a", fmt.Sprint("t", n)), n%4 == 1
			if refused {
				d = baseless(fmt.Sprint("t", n))
			}
			_, err := r.Record(ctx, d)
			answers <- heard{refused, err}
		}()
	}
	for r.Waiting() != drafts+1 {
		runtime.Gosched()
	}
	close(on)
	if err := <-first; err != nil {
		w.Error(err)
	}
	for range drafts {
		switch a := <-answers; {
		case a.refused && (!errors.Is(a.err, journal.ErrNoBase) || errors.Is(a.err, recorder.ErrNotRecorded)):
			w.Errorf("what is refused: %v", a.err)
		case !a.refused && a.err != nil:
			w.Errorf("another: %v", a.err)
		}
	}
}

// testUnknownOutcome: those of the group are told, and nobody else: the lane goes on, and
// the same draft tried again is recorded once.
func testUnknownOutcome(w *world) {
	for n, done := range []bool{false, true} {
		unknown := fmt.Errorf("%w: %w", journal.ErrUnknownOutcome, ErrInjected)
		r := w.record(Hooked(w.one, Lake, FailAt("commit", 1, done, unknown)))
		d := Keyed(Namespace(Lake, fmt.Sprint("a", done)), Key(n))
		if _, err := r.Record(ctx, d); !errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, recorder.ErrNotRecorded) {
			w.Errorf("done %t: %v", done, err)
		}
		_, found, err := w.Journal.Warehouse(Lake).Find(ctx, d.ID)
		if found != done || err != nil {
			w.Errorf("done %t: it is there: %v, %v", done, found, err)
		}
		w.must(r, Namespace(Lake, fmt.Sprint("b", done)))
		if e := w.must(r, d); e.ID != d.ID {
			w.Errorf("again it is %s", e.ID)
		}
		if err := r.Ready(); err != nil {
			w.Errorf("ready: %v", err)
		}
		if _, bound, err := w.Journal.Warehouse(Lake).Answered(ctx, d.Request.Actor, d.Request.Key, time.Now()); !bound || err != nil {
			w.Errorf("its key is bound: %v, %v", bound, err)
		}
	}
}
