package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

func TestMemory(t *testing.T) {
	recordertest.Run(t, func(testing.TB) recordertest.Opened {
		db := recorder.NewMemory(journal.NewClock())
		return recordertest.Opened{Journal: db.Journal(), Replica: func() recorder.Database { return db }}
	})
}

// sharedStage is a recorder over a database in memory, whose turns are hooked in the
// lake.
type sharedStage struct {
	*recorder.Recorder
	db *recorder.Memory
}

func newSharedStage(t *testing.T, h recordertest.Hook, opts recorder.Options) *sharedStage {
	t.Helper()
	db := recorder.NewMemory(clock{})
	recordertest.Bear(t, db.Journal())
	recordertest.CatchUp(t, db.Journal(), db)
	r, err := recorder.NewShared(ctx, recordertest.Hooked(db, lake, h), opts)
	if err != nil {
		t.Fatal(err)
	}
	return &sharedStage{r, db}
}

// commits holds the first begin until it is let go, so that what comes meanwhile is one
// group, and fails the commits that it is told to.
type commits struct {
	once bool
	held chan struct{}
	n    int           // commits that came by
	fail map[int]error // by number, from 1
	done bool          // they fail after their effect
}

func newCommits() *commits { return &commits{held: make(chan struct{}), fail: map[int]error{}} }

func (c *commits) hook(step string, done bool) error {
	switch {
	case step == "begin" && !done && !c.once:
		c.once = true
		<-c.held
	case step == "commit" && done == c.done:
		c.n++
		return c.fail[c.n]
	}
	return nil
}

// together records the first draft alone and the others as one group, beside answers.
func (s *sharedStage) together(c *commits, answers []journal.Answer, drafts ...journal.Draft) (events []answer, stored []error) {
	st := stage{Recorder: s.Recorder}
	var waiting []<-chan answer
	for _, d := range drafts {
		waiting = append(waiting, st.start(ctx, d))
		synctest.Wait() // senders on a channel queue up in order
	}
	stored = make([]error, len(answers))
	replies := make([]chan error, len(answers))
	for i, a := range answers {
		replies[i] = make(chan error, 1)
		go func() { replies[i] <- s.Remember(ctx, lake, a) }()
		synctest.Wait()
	}
	close(c.held)
	for _, w := range waiting {
		events = append(events, <-w)
	}
	for i := range replies {
		stored[i] = <-replies[i]
	}
	return events, stored
}

func (s *sharedStage) close(t *testing.T) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	recordertest.CheckLaws(t, s.db.Journal(), s.db)
}

// Drafts and answers that wait are one turn, dated by the database.
func TestAnswersGoWithDrafts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		s := newSharedStage(t, c.hook, recorder.Options{Clock: journal.NewClock()})
		keyed := recordertest.Keyed(recordertest.Namespace(lake, "b"), recordertest.Key(0))
		answers := []journal.Answer{recordertest.Conflicted(recordertest.Key(0)), recordertest.Conflicted(recordertest.Key(1)), recordertest.Conflicted(recordertest.Key(1))}
		events, stored := s.together(c, answers, recordertest.Namespace(lake, "a"), keyed, keyed)
		for i, seq := range []journal.Seq{2, 3, 3} {
			if e := events[i].event; events[i].err != nil || e.Seq != seq || !e.At.Equal(journaltest.Start) || !e.Wall.Equal(journaltest.Start) {
				t.Errorf("draft %d: seq %d at %s, %v", i, e.Seq, e.At, events[i].err)
			}
		}
		for i, want := range []error{journal.ErrKeyTaken, nil, journal.ErrKeyTaken} {
			if !errors.Is(stored[i], want) {
				t.Errorf("answer %d: %v, want %v", i, stored[i], want)
			}
		}
		if err := s.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(2))); err != nil || c.n != 3 {
			t.Errorf("%d commits, want 3: %v", c.n, err)
		}
		s.close(t)
	})
}

// refusal is an error that the same group would meet again.
type refusal struct{ error }

func (refusal) Deterministic() bool { return true }

// A group that is refused for something in it is tried again in halves: answers for
// themselves, drafts in their order.
func TestPartsOfARefusedGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		// 2: all; 3: the four drafts; 4: the first two; 5, 6: they alone; 7: the last two; 8: the answers.
		c.fail = map[int]error{2: refusal{errInjected}, 3: refusal{errInjected}, 4: journal.ErrTooLarge, 6: journal.ErrTooLarge}
		var groups []recorder.Group
		s := newSharedStage(t, c.hook, recorder.Options{Observe: func(g recorder.Group) { groups = append(groups, g) }})
		answers := []journal.Answer{recordertest.Conflicted(recordertest.Key(1)), recordertest.Conflicted(recordertest.Key(2))}
		lost := recordertest.Namespace(lake, "b")
		events, stored := s.together(c, answers, recordertest.Namespace(lake, "a"),
			recordertest.Namespace(lake, "b"), recordertest.Namespace(lake, "c"), lost, recordertest.Namespace(lake, "d"))
		var conflict *projections.Conflict
		for i, seq := range []journal.Seq{2, 3, 0, 0, 4} {
			if a := events[i]; a.event.Seq != seq || (a.err == nil) != (seq != 0) {
				t.Errorf("draft %d: seq %d, %v", i, a.event.Seq, a.err)
			}
		}
		if err := events[2].err; !errors.Is(err, journal.ErrTooLarge) || errors.Is(err, recorder.ErrNotRecorded) {
			t.Errorf("what was refused: %v", err)
		}
		if !errors.As(events[3].err, &conflict) {
			t.Errorf("what lost: %v", events[3].err)
		}
		if err := errors.Join(stored...); err != nil || c.n != 8 {
			t.Errorf("%d commits, want 8: %v", c.n, err)
		}
		s.close(t)
		drafts, recorded, refused := 0, 0, 0
		for _, g := range groups {
			drafts, recorded, refused = drafts+g.Drafts, recorded+g.Recorded, refused+g.Refused
		}
		if drafts != 5 || recorded != 3 || refused != 1 {
			t.Errorf("observed %d drafts, %d recorded, %d refused: %+v", drafts, recorded, refused, groups)
		}
	})
}

// What ends a group ends it for all of it, and is told as what it is: unknown to those
// that may be recorded alone. The lane goes on, and is ready.
func TestGroupOfASharedLaneFails(t *testing.T) {
	unknown := errors.Join(journal.ErrUnknownOutcome, errInjected)
	for name, c := range map[string]struct {
		fails     error
		done      bool
		won, lost error
		seq       journal.Seq // of the next
	}{
		"not committed":      {errInjected, false, recorder.ErrNotRecorded, recorder.ErrNotRecorded, 3},
		"unknown, not there": {unknown, false, journal.ErrUnknownOutcome, recorder.ErrNotRecorded, 3},
		"unknown, there":     {unknown, true, journal.ErrUnknownOutcome, recorder.ErrNotRecorded, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newCommits()
				h.fail, h.done = map[int]error{2: c.fails}, c.done
				s := newSharedStage(t, h.hook, recorder.Options{})
				answers := []journal.Answer{recordertest.Conflicted(recordertest.Key(1)), recordertest.Conflicted(recordertest.Key(1))}
				events, stored := s.together(h, answers, recordertest.Namespace(lake, "a"), recordertest.Namespace(lake, "b"), recordertest.Namespace(lake, "b"))
				for what, heard := range map[string]struct{ err, want error }{
					"winner": {events[1].err, c.won}, "loser": {events[2].err, c.lost}, "answer": {stored[0], c.won}, "second answer": {stored[1], c.lost},
				} {
					isUnknown := heard.want == journal.ErrUnknownOutcome
					if !errors.Is(heard.err, heard.want) || errors.Is(heard.err, journal.ErrUnknownOutcome) != isUnknown {
						t.Errorf("%s: %v, want %v", what, heard.err, heard.want)
					}
				}
				if e, err := s.Record(ctx, recordertest.Namespace(lake, "c")); err != nil || e.Seq != c.seq {
					t.Errorf("the next: seq %d, %v", e.Seq, err)
				}
				if err := s.Ready(); err != nil {
					t.Errorf("ready: %v", err)
				}
				s.close(t)
			})
		})
	}
}

// A closed database ends recording, in all lanes.
func TestClosedDatabaseStops(t *testing.T) {
	s := newSharedStage(t, newHook(), recorder.Options{})
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "a")); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Journal().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "b")); !errors.Is(err, recorder.ErrNotRecorded) || !errors.Is(err, journal.ErrClosed) {
		t.Errorf("the first: %v", err)
	}
	for _, w := range []uuid.UUID{lake, pond, uuid.New()} {
		if _, err := s.Record(ctx, recordertest.Namespace(w, "c")); !errors.Is(err, recorder.ErrStopped) {
			t.Errorf("later: %v", err)
		}
		if err := s.Remember(ctx, w, recordertest.Conflicted(recordertest.Key(0))); !errors.Is(err, recorder.ErrStopped) {
			t.Errorf("an answer: %v", err)
		}
	}
	if err := s.Ready(); !errors.Is(err, recorder.ErrStopped) {
		t.Errorf("ready: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func newHook() recordertest.Hook { return func(string, bool) error { return nil } }

// Lanes are of warehouses that are born: nobody makes one by asking.
func TestLanesAreOfTheBorn(t *testing.T) {
	s := newSharedStage(t, newHook(), recorder.Options{})
	for range 3 {
		if _, err := s.Record(ctx, recordertest.Namespace(uuid.New(), "a")); !errors.Is(err, journal.ErrNoWarehouse) {
			t.Error(err)
		}
	}
	if n := s.Lanes(); n != 2 {
		t.Errorf("%d lanes", n)
	}
	sea := uuid.New()
	journaltest.Append(t, s.db.Journal(), journaltest.Entries(t, journaltest.NewStory(sea).Drafts, journaltest.Start))
	if _, err := s.Record(ctx, recordertest.Namespace(sea, "a")); !errors.Is(err, recorder.ErrNotRecorded) || !errors.Is(err, recorder.ErrBehind) {
		t.Errorf("its tables lack its birth: %v", err)
	}
	if err := projections.CatchUp(ctx, s.db.Journal().Warehouse(sea), 0, s.db.Warehouse(sea)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Record(ctx, recordertest.Namespace(sea, "a")); err != nil || s.Lanes() != 3 {
		t.Errorf("born: %v, %d lanes", err, s.Lanes())
	}
	s.close(t)
}

// What does not fit goes first in the next group, before what has come meanwhile.
func TestLeftOversGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		s := newSharedStage(t, c.hook, recorder.Options{})
		drafts := []journal.Draft{recordertest.Namespace(lake, "t")}
		const MiB = 1 << 20
		for i, size := range []int{5 * MiB, 4 * MiB, 17 * MiB, 2 * MiB} {
			d := recordertest.Create(lake, "t", fmt.Sprint("t", i))
			d.Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: make([]byte, size)}}
			drafts = append(drafts, d)
		}
		events, _ := s.together(c, nil, drafts...)
		var seqs []journal.Seq
		for _, a := range events {
			seqs = append(seqs, a.event.Seq)
		}
		if diff := cmp.Diff([]journal.Seq{2, 3, 4, 0, 5}, seqs); diff != "" || !errors.Is(events[3].err, journal.ErrTooLarge) {
			t.Errorf("%v\n%s", events[3].err, diff)
		}
		if c.n != 3 {
			t.Errorf("%d commits, want 3", c.n)
		}
		s.close(t)
	})
}

// Close finishes what a lane has taken, and sends the others away.
func TestCloseDrainsLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCommits()
		s := newSharedStage(t, c.hook, recorder.Options{})
		st := stage{Recorder: s.Recorder}
		taken := st.start(ctx, recordertest.Namespace(lake, "taken"))
		synctest.Wait()
		waiting := st.start(ctx, recordertest.Namespace(lake, "waiting"))
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		if a := <-waiting; !errors.Is(a.err, recorder.ErrStopped) {
			t.Errorf("waiting: %v", a.err)
		}
		if _, err := s.Record(ctx, recordertest.Namespace(pond, "late")); !errors.Is(err, recorder.ErrStopped) {
			t.Errorf("late: %v", err)
		}
		synctest.Wait()
		if len(closed) != 0 {
			t.Error("it did not wait for the turn")
		}
		close(c.held)
		if a := <-taken; a.err != nil {
			t.Errorf("taken: %v", a.err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		s.close(t)
	})
}

// foretold is a database that keeps what it was told when turns began.
type foretold struct {
	recorder.Database
	drafts   []uuid.UUID
	requests []string
}

func (f *foretold) Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (recorder.Turn, error) {
	for _, d := range drafts {
		f.drafts = append(f.drafts, d.ID)
	}
	for _, r := range requests {
		f.requests = append(f.requests, r.Key)
	}
	return f.Database.Begin(ctx, warehouse, drafts, requests)
}

// A turn is told beforehand of all that it will be asked.
func TestTurnIsToldOfAll(t *testing.T) {
	db := recorder.NewMemory(clock{})
	recordertest.Bear(t, db.Journal())
	recordertest.CatchUp(t, db.Journal(), db)
	told := &foretold{Database: db}
	r, err := recorder.NewShared(ctx, told, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := recordertest.Namespace(lake, "a")
	_, err = r.Record(ctx, d)
	if err := errors.Join(err, r.Remember(ctx, lake, recordertest.Conflicted(recordertest.Key(0))), r.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&foretold{drafts: []uuid.UUID{d.ID}, requests: []string{recordertest.Key(0)}}, told,
		cmp.AllowUnexported(foretold{}), cmpopts.IgnoreFields(foretold{}, "Database")); diff != "" {
		t.Error(diff)
	}
}
