package archive_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
)

var errDisk = errors.New("input/output error")

// Law 3 with an archive, and law 12: whatever fails and whenever it is restarted, the
// archive is what the journal has up to some event, and in the end all of it.
func TestLaw3RebuiltFromTheArchiveIsLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(lineage(t))
		events := rapid.IntRange(1, 9).Draw(t, "events a segment")
		fault := faulty.Fault{}
		at, archived := 0, 0
		store := faulty.New(w.disk, func(faulty.Op, string) faulty.Fault {
			if at--; at == 0 {
				return fault
			}
			return faulty.Fault{}
		})
		s := w.sealer(store, events)
		for len(w.pending) > 0 {
			w.grow(t, rapid.IntRange(1, len(w.pending)).Draw(t, "grow"))
			if rapid.Bool().Draw(t, "restart") {
				s = w.sealer(store, events)
			}
			fault = faulty.Fault{Err: errDisk, Applied: rapid.Bool().Draw(t, "applied")}
			at = rapid.IntRange(0, 12).Draw(t, "fails at")
			if err := s.Seal(ctx); err != nil && !errors.Is(err, errDisk) {
				t.Fatal(err)
			}
			after := w.wantPrefix(t)
			if after < archived {
				t.Fatalf("it had %d events, and has %d", archived, after)
			}
			archived = after
		}
		at = 0
		if err := s.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantAll(t)
		before := w.names(t)
		if err := w.sealer(w.disk, events+1).Seal(ctx); err != nil || w.names(t) != before {
			t.Fatalf("a restart with nothing to do, %v: %s became %s", err, before, w.names(t))
		}
	})
}

// names lists what is in the warehouse.
func (w *world) names(tb rapid.TB) (all string) {
	for e, err := range w.disk.List(ctx, "") {
		if err != nil {
			tb.Fatal(err)
		}
		all += e.Key + "\n"
	}
	return all
}

// Every call of the store fails once, before and after it took effect; the process
// dies of it, and the next one, whose journal has grown, finds what it left.
func TestRestartAtEveryStoreCall(t *testing.T) {
	for _, applied := range []bool{false, true} {
		for n := 0; ; n++ {
			w := newWorld(chain(t, 4).Entries)
			w.grow(t, 19)
			broke := false
			err := w.sealer(failing(w.disk, func(call int) faulty.Fault {
				if call != n {
					return faulty.Fault{}
				}
				broke = true
				return faulty.Fault{Err: errDisk, Applied: applied}
			}), 4).Seal(ctx)
			if errors.Is(err, errDisk) != broke {
				t.Fatalf("call %d: %v", n, err)
			}
			w.wantPrefix(t)
			w.grow(t, len(w.pending))
			if err := w.sealer(w.disk, 7).Seal(ctx); err != nil {
				t.Fatalf("after call %d: %v", n, err)
			}
			w.wantAll(t)
			if !broke {
				break
			}
		}
	}
}

// What an unknown outcome left is found and put again, so that it is durable.
func TestRetryKnowsItself(t *testing.T) {
	w := newWorld(chain(t, 2).Entries)
	w.grow(t, len(w.pending))
	lost, puts := true, 0
	store := faulty.New(w.disk, func(op faulty.Op, key string) faulty.Fault {
		switch {
		case op == faulty.Put && key != archive.HintKey:
			puts++
		case op == faulty.Create && lost:
			lost = false
			return faulty.After(errDisk)
		}
		return faulty.Fault{}
	})
	s := w.sealer(store, 500)
	if err := s.Seal(ctx); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	if err := s.Seal(ctx); err != nil || puts != 1 {
		t.Fatalf("%v, put again %d times", err, puts)
	}
	w.wantAll(t)
}

// Case 162: two catalogs write one warehouse. The loser stops, whichever it is, and
// what the winner has archived stays.
func TestSecondWriterIsFound(t *testing.T) {
	first := newWorld(journaltest.Entries(t, journaltest.NewStory(lake).Drafts, journaltest.Start))
	first.grow(t, 1)
	story := journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"mine"}, nil)
	mine := newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))
	story = journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"yours"}, nil)
	story.CreateNamespace(journal.Namespace{"too"}, nil)
	yours := newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))
	for name, grown := range map[string]int{"as long": 2, "longer": 3, "shorter": 1} {
		disk := memory.New()
		mine, yours := *mine, *yours
		mine.journal, yours.journal, mine.disk, yours.disk = journal.NewMemory(), journal.NewMemory(), disk, disk
		mine.grow(t, 1)
		loser := mine.sealer(disk, 500)
		if err := loser.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		mine.grow(t, 1)
		yours.grow(t, grown)
		winner, want := yours.sealer(disk, 500), archive.ErrSecondWriter
		if grown == 1 { // a copy of the same journal, from before: it lacks what mine archived
			winner, loser, want = loser, yours.sealer(disk, 500), archive.ErrAhead
		}
		if err := winner.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		before := mine.names(t)
		for range 2 {
			if err := loser.Seal(ctx); !errors.Is(err, want) || !archive.Final(err) || mine.names(t) != before {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A past that was left, of which the archive has another history, is told once and
// does not keep the current incarnation from being archived.
func TestLostPastIsLeft(t *testing.T) {
	story := journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"a"}, nil)
	yours := newWorld(formed(t, story.Drafts, "one", 0))
	yours.grow(t, 2)
	story = journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"b"}, nil)
	one := formed(t, story.Drafts, "one", 0)
	again := journaltest.NewStory(lake)
	again.Drafts[0].Body = continuing(one[1].Event)
	mine := newWorld(append(one, formed(t, again.Drafts, "two", 1_000_000)...))
	mine.disk = yours.disk
	mine.grow(t, 3)
	if err := yours.sealer(yours.disk, 500).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	var told []error
	o := mine.options(mine.disk)
	o.Failed = func(err error) { told = append(told, err) }
	s := archive.NewSealer(o, 500)
	for range 2 {
		if err := s.Seal(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !errors.Is(told[0], archive.ErrSecondWriter) {
		t.Errorf("told %v", told)
	}
	head, _, err := archive.Head(ctx, mine.disk)
	if err != nil || head != mine.all[2].Event.Position {
		t.Errorf("head %s, %v", head, err)
	}
	var damage *journal.Damage
	for _, err = range journal.Lineage(mine.open(t), lake).Scan(ctx, 0) {
	}
	if !errors.As(err, &damage) || damage.Seq != 2 {
		t.Errorf("the lineage: %v", err)
	}
}

// The hint saves a listing and is not believed.
func TestHintIsOnlyAHint(t *testing.T) {
	story := journaltest.NewStory(lake)
	for n := range 2*archive.HintEvery + 10 {
		story.CreateNamespace(journal.Namespace{uuid.NewSHA1(lake, []byte{byte(n)}).String()}, nil)
	}
	w := newWorld(journaltest.Entries(t, story.Drafts, journaltest.Start))
	for len(w.pending) > 0 { // each process seals a little
		w.grow(t, min(7, len(w.pending)))
		if err := w.sealer(w.disk, 1).Seal(ctx); err != nil {
			t.Fatal(err)
		}
	}
	w.wantAll(t)
	count := func() (lists, gets int) {
		store := faulty.New(w.disk, func(op faulty.Op, _ string) faulty.Fault {
			switch op {
			case faulty.List:
				lists++
			case faulty.Get:
				gets++
			}
			return faulty.Fault{}
		})
		head, found, err := archive.Head(ctx, store)
		if err != nil || !found || head != w.all[len(w.all)-1].Event.Position {
			t.Errorf("head %s, %t, %v", head, found, err)
		}
		return lists, gets
	}
	if lists, gets := count(); lists != 0 || gets > archive.HintEvery+10 {
		t.Errorf("with a hint: %d lists, %d gets", lists, gets)
	}
	stale := `{"format-version":1,"incarnation":"` + w.all[0].Event.Incarnation.String() + `","first":`
	for _, text := range []string{"", "{", stale + "99999999}", stale + "-1}", `{"format-version":2,"incarnation":"x"}`, stale + "3}"} {
		if err := w.disk.Put(ctx, archive.HintKey, []byte(text)); err != nil {
			t.Fatal(err)
		}
		count()
		if err := w.sealer(w.disk, 1).Seal(ctx); err != nil {
			t.Errorf("with the hint %q: %v", text, err)
		}
	}
}
