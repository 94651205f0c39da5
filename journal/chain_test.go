package journal_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestLaw6: seq is dense, time never decreases, every prev matches.
func TestLaw6(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := journaltest.Entries(t, journaltest.Draw(t, goldLake), journaltest.Start)
		chain := journal.NewChain(goldLake, journaltest.Incarnation(goldLake), 0)
		for i, entry := range entries {
			e := entry.Event
			if e.Seq != journal.Seq(i+1) || e.Prev != chain.Head.Hash || e.At.Before(chain.At) {
				t.Fatalf("event %d is %s at %s after %s", i, e.Position, e.At, chain.At)
			}
			if e.Hash != journal.Link(e.Prev, entry.Record) {
				t.Fatalf("event %d has another hash than its bytes", i)
			}
			next, err := chain.Follow(e)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range entries[:i] {
				if same, err := chain.Follow(other.Event); !errors.Is(err, journal.ErrNotNext) || same != chain {
					t.Fatalf("event %s follows %s: %v", other.Event.Position, chain.Head, err)
				}
			}
			chain = next
		}
	})
}

// TestChainIsAValue: a draft can be tried and thrown away.
func TestChainIsAValue(t *testing.T) {
	chain := journal.NewChain(goldLake, goldIncarnation, 41)
	before := chain
	drafts := goldHistory(t)
	first, next, err := chain.Next(drafts[1].draft, journal.At(goldStart))
	if err != nil || chain != before || next == chain || first.Event.Seq != 42 {
		t.Fatalf("next = %v, %v", next, err)
	}
	again, same, err := chain.Next(drafts[1].draft, journal.At(goldStart))
	if err != nil || same != next || again.Event.Position != first.Event.Position {
		t.Errorf("the second try gives %v, %v", again.Event.Position, err)
	}
	other, _, err := chain.Next(drafts[2].draft, journal.At(goldStart))
	if err != nil || other.Event.Seq != 42 || other.Event.Hash == first.Event.Hash {
		t.Errorf("another draft gives %v, %v", other.Event.Position, err)
	}
	if journal.ChainAt(first.Event) != next {
		t.Errorf("the chain at the event is %v, the next one was %v", journal.ChainAt(first.Event), next)
	}
}

// TestHashes computes the hashes of the documentation by hand.
func TestHashes(t *testing.T) {
	var data []byte
	data = append(data, "puddle/event/1\n"...)
	data = append(data, goldLake[:]...)
	data = append(data, goldIncarnation[:]...)
	genesis := journal.Digest(sha256.Sum256(data))
	if got := journal.Genesis(goldLake, goldIncarnation); got != genesis {
		t.Errorf("genesis = %s, want %s", got, genesis)
	}
	data = append([]byte("puddle/event/1\n"), genesis[:]...)
	data = append(data, "{}"...)
	if got, want := journal.Link(genesis, []byte("{}")), journal.Digest(sha256.Sum256(data)); got != want {
		t.Errorf("link = %s, want %s", got, want)
	}
}

func TestTimeOfEvents(t *testing.T) {
	draft := goldHistory(t)[1].draft
	at := func(chain journal.Chain, now journal.Instant) (journal.Event, journal.Chain) {
		e, next, err := chain.Next(draft, now)
		if err != nil {
			t.Fatal(err)
		}
		return e.Event, next
	}
	precise := goldStart.Add(1_234_567 * time.Nanosecond).In(time.FixedZone("odd", 3600))
	e, chain := at(journal.NewChain(goldLake, goldIncarnation, 0), journal.At(precise))
	if want := goldStart.Add(time.Millisecond); e.At != want || e.Wall != want || e.ClockSuspect() {
		t.Errorf("at %v, wall %v, want %v", e.At, e.Wall, want)
	}
	back := goldStart.Add(-time.Hour)
	if e, _ := at(chain, journal.At(back)); e.At != chain.At || e.Wall != back || e.ClockSuspect() {
		t.Errorf("after the clock went back: at %v, wall %v", e.At, e.Wall)
	}
	ahead := journal.Instant{Wall: goldStart.AddDate(73, 0, 0), Trusted: goldStart.Add(time.Minute)}
	if e, _ := at(chain, ahead); e.At != ahead.Trusted || e.Wall != ahead.Wall || !e.ClockSuspect() {
		t.Errorf("after the clock jumped: at %v, wall %v", e.At, e.Wall)
	}
}
