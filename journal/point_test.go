package journal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

func TestParsePoint(t *testing.T) {
	id := "0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10"
	for _, s := range []string{"seq:0", "seq:42", id, id + ":7", "2026-09-24T10:00:00Z", "2026-09-24T12:00:00.000+02:00"} {
		if p, err := journal.ParsePoint(s); err != nil {
			t.Errorf("%q: %v, %v", s, p, err)
		}
	}
	for _, s := range []string{
		"", "42", "seq:", "seq:-1", "seq:1.0", "seq:99999999999999999999", "2026-09-24", "2026-09-24T10:00:00",
		"yesterday", "{" + id + "}", "urn:uuid:" + id, id + ":", id + ":x", ":7",
	} {
		if p, err := journal.ParsePoint(s); !errors.Is(err, journal.ErrPoint) {
			t.Errorf("%q: %v, %v", s, p, err)
		}
	}
}

// lived is a warehouse with a lineage: each of the parts is an incarnation that
// continues the one before at one of its events.
type lived struct {
	lineage journal.Reader
	events  []journal.Event // of the lineage
	left    []journal.Event // of incarnations, after the events that others continue
}

// live makes parts of some events each, all at their times; the second continues
// the first at its event number leave, counted from 1.
func live(t rapid.TB, times [][]time.Time, leave int) lived {
	t.Helper()
	id, j := uuid.New(), journal.NewMemory()
	var parent *journal.Position
	var made lived
	for i, part := range times {
		chain := journal.NewChain(id, uuid.New(), journal.Seq(i*1_000_000))
		story := journaltest.NewStory(id)
		story.Drafts[0].Body = journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: parent, Reason: "test"}
		for n := range len(part) - 1 {
			story.CreateNamespace(journal.Namespace{fmt.Sprintf("n%d", n)}, nil)
		}
		if parent != nil {
			made.left, made.events = append(made.left, made.events[leave:]...), made.events[:leave]
		}
		for n, at := range part {
			draft := story.Drafts[n]
			draft.ID = uuid.New()
			entry, next, err := chain.Next(draft, journal.At(at))
			if err != nil {
				t.Fatal(err)
			}
			journaltest.Append(t, j, []journal.Entry{entry})
			chain = next
			made.events = append(made.events, entry.Event)
		}
		if i+1 < len(times) {
			parent = &made.events[leave-1].Position
		}
	}
	made.lineage = journal.Lineage(j, id)
	return made
}

func point(t rapid.TB, s string) journal.Point {
	t.Helper()
	p, err := journal.ParsePoint(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return p
}

// A time is the last event that is not after it, whatever the seqs do and however
// many events one millisecond has.
func TestPointsOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := journaltest.Start
		moments := func(label string) (times []time.Time) {
			for _, pause := range rapid.SliceOfN(rapid.IntRange(0, 2), 1, 12).Draw(t, label) {
				now = now.Add(time.Duration(pause) * time.Millisecond)
				times = append(times, now)
			}
			return times
		}
		first, second := moments("first"), moments("second")
		told := live(t, [][]time.Time{first, second}, rapid.IntRange(1, len(first)).Draw(t, "leave"))
		for at := journaltest.Start.Add(-time.Millisecond); !at.After(now.Add(time.Millisecond)); at = at.Add(500 * time.Microsecond) {
			var want journal.Seq
			for _, e := range told.events {
				if !e.At.After(at) {
					want = e.Seq
				}
			}
			p := point(t, at.Format(time.RFC3339Nano))
			if got, err := p.Bound(t.Context(), told.lineage); err != nil || got != want {
				t.Fatalf("bound %v = %d, %v; want %d", p, got, err, want)
			}
			e, err := p.Event(t.Context(), told.lineage, now.Add(time.Hour))
			var uncovered *journal.Uncovered
			if want == 0 && !errors.As(err, &uncovered) || want != 0 && (err != nil || e.Seq != want) {
				t.Fatalf("event at %v = %d, %v; want %d", p, e.Seq, err, want)
			}
		}
	})
}

// Every event of the lineage is found by each of its names, and nothing else is.
func TestPointsOfEvents(t *testing.T) {
	at := func(n int) (times []time.Time) {
		for range n {
			times = append(times, journaltest.Start)
		}
		return times
	}
	told, now := live(t, [][]time.Time{at(5), at(3)}, 3), journaltest.Start.Add(time.Hour)
	for _, e := range told.events {
		for _, s := range []string{"seq:" + e.Seq.String(), e.Position.String(), e.ID.String()} {
			bound, err := point(t, s).Bound(t.Context(), told.lineage)
			if err != nil || bound != e.Seq {
				t.Errorf("bound %s = %d, %v; want %d", s, bound, err, e.Seq)
			}
			got, err := point(t, s).Event(t.Context(), told.lineage, now)
			if err != nil || got.Position != e.Position {
				t.Errorf("event %s = %s, %v; want %s", s, got.Position, err, e.Position)
			}
		}
	}
	first, last := told.events[0], told.events[len(told.events)-1]
	for s, want := range map[string]string{
		"seq:0":                                 "is before the warehouse's birth: seq:1 of 2026-01-01T00:00:00.000Z",
		"seq:4":                                 "is no event: after seq:3 comes seq:1000001, with incarnation " + last.Incarnation.String(),
		"seq:1000004":                           "is in the future: the last event is seq:1000003",
		"2025-12-31T23:59:59.999Z":              "is before the warehouse's birth: seq:1 of 2026-01-01T00:00:00.000Z",
		"2026-01-01T01:00:00.001Z":              "is in the future: it is 2026-01-01T01:00:00.000Z",
		told.left[0].Position.String():          "is no event: after seq:3",
		told.left[0].ID.String():                "is no event of this history",
		uuid.NewString():                        "is no event of this history",
		uuid.NewString() + ":2":                 "is not in this history: there, 2 is an event of incarnation " + first.Incarnation.String(),
		first.Incarnation.String() + ":1000001": "is not in this history: there, 1000001 is an event of incarnation " + last.Incarnation.String(),
		last.Incarnation.String() + ":1000000":  "is no event",
	} {
		_, err := point(t, s).Event(t.Context(), told.lineage, now)
		var uncovered *journal.Uncovered
		if !errors.As(err, &uncovered) || !strings.HasPrefix(err.Error(), s+" "+want) {
			t.Errorf("event %s: %v, want %s", s, err, want)
		}
	}
}

// What has happened is no future, also by a clock that is behind the one that dated it.
func TestPointsOfAClockBehind(t *testing.T) {
	told := live(t, [][]time.Time{{journaltest.Start, journaltest.Start.Add(time.Minute)}}, 1)
	behind, last := journaltest.Start.Add(-time.Hour), told.events[1]
	for s, want := range map[string]journal.Seq{"2026-01-01T00:00:30Z": 1, last.At.Format(time.RFC3339): last.Seq} {
		if e, err := point(t, s).Event(t.Context(), told.lineage, behind); err != nil || e.Seq != want {
			t.Errorf("event at %s is %d, %v; want %d", s, e.Seq, err, want)
		}
	}
	var uncovered *journal.Uncovered
	if _, err := point(t, "2026-01-01T00:01:01Z").Event(t.Context(), told.lineage, behind); !errors.As(err, &uncovered) {
		t.Errorf("after all that has happened: %v", err)
	}
}

// A bound need not be an event's seq.
func TestBounds(t *testing.T) {
	told := live(t, [][]time.Time{{journaltest.Start, journaltest.Start}}, 1)
	for s, want := range map[string]journal.Seq{
		"seq:0": 0, "seq:99": 99, "2020-01-01T00:00:00Z": 0, "2099-01-01T00:00:00+02:00": 2,
	} {
		if got, err := point(t, s).Bound(t.Context(), told.lineage); err != nil || got != want {
			t.Errorf("bound %s = %d, %v; want %d", s, got, err, want)
		}
	}
}

// Before what is held of a history nothing can be told, which is not its birth.
func TestPointsBeforeWhatIsHeld(t *testing.T) {
	id, j := uuid.New(), journal.NewMemory()
	story := journaltest.NewStory(id)
	pruned := journal.Position{Incarnation: uuid.New(), Seq: 7, Hash: journal.Sum([]byte("gone"))}
	story.Drafts[0].Body = journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &pruned, Reason: "recovery"}
	entry, _, err := journal.NewChain(id, uuid.New(), 1_000_000).Next(story.Drafts[0], journal.At(journaltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := point(t, "seq:1").Event(t.Context(), journal.Lineage(j, id), journaltest.Start); err == nil ||
		!strings.HasSuffix(err.Error(), "is before the warehouse's birth") {
		t.Errorf("before birth: %v", err)
	}
	journaltest.Append(t, j, []journal.Entry{entry})
	for _, s := range []string{"seq:7", "2025-12-31T00:00:00Z", pruned.String()} {
		_, err := point(t, s).Event(t.Context(), journal.Lineage(j, id), journaltest.Start)
		if want := s + " is not covered: what is held of the history begins with seq:1000001"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
