package projections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// lineageOf draws incarnations of a warehouse, each continuing an event of the one
// before, and answers the journal and the events of the lineage.
func lineageOf(t *rapid.T, id uuid.UUID) (journal.Reader, []journal.Event) {
	j := journal.NewMemory()
	var events []journal.Event
	for i := range rapid.IntRange(1, 3).Draw(t, "incarnations") {
		story, chain := journaltest.DrawStory(t, id), journal.NewChain(id, uuid.New(), journal.Seq(i*1_000_000))
		if i > 0 {
			left := rapid.IntRange(1, len(events)).Draw(t, "left at")
			events = events[:left:left]
			story.Drafts[0].Body = journal.IncarnationStarted{
				Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &events[left-1].Position, Reason: "recovery",
			}
		}
		for _, draft := range story.Drafts {
			entry, next, err := chain.Next(draft, journal.At(journaltest.Start))
			if err != nil {
				t.Fatal(err)
			}
			journaltest.Append(t, j, []journal.Entry{entry})
			events, chain = append(events, entry.Event), next
		}
	}
	return journal.Lineage(j, id), events
}

// Law 4: the state as of an event is the fold of the events up to it, in whatever
// order it is asked for, and stays that.
func TestLaw4AsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, id := context.Background(), uuid.New()
		from, events := lineageOf(t, id)
		live := NewState(id)
		if err := CatchUp(ctx, from, 0, live); err != nil {
			t.Fatal(err)
		}
		past := NewPast(id, from, live)
		asked := map[int]*Snapshot{}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(events)-1), 1, 12).Draw(t, "asked") {
			s, err := past.At(ctx, events[n].Seq)
			if err != nil {
				t.Fatal(err)
			}
			asked[n] = s
		}
		for n, s := range asked {
			want := NewState(id)
			if err := want.Apply(ctx, events[:n+1]...); err != nil {
				t.Fatal(err)
			}
			if s.Position() != events[n].Position || !s.At().Equal(events[n].At) {
				t.Fatalf("as of %s, %s: want %s, %s", s.Position(), s.At(), events[n].Position, events[n].At)
			}
			sameState(t, s, want)
		}
	})
}

// sameState compares all that can be asked.
func sameState(t *rapid.T, got *Snapshot, want *State) {
	ctx := context.Background()
	held, err := want.Dump(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := Gather(stateMoment{ctx, got.held})
	if err != nil {
		t.Fatal(err)
	}
	steps := held.Steps
	if len(mine.Steps) > 0 {
		t.Fatalf("%d steps are held", len(mine.Steps))
	}
	held.Steps, mine.Steps = nil, nil
	differ(t, "state", mine, held)
	of := map[uuid.UUID][]Step{}
	for _, s := range steps {
		of[s.Move.UUID] = append(of[s.Move.UUID], s)
	}
	for object, want := range of {
		steps, err := got.Steps(ctx, object)
		last, ok, lastErr := got.LastStep(ctx, object)
		if err != nil || lastErr != nil || !ok {
			t.Fatal(err, lastErr, ok)
		}
		differ(t, "steps", steps, want)
		differ(t, "last step", last, want[len(want)-1])
		for _, s := range want {
			if s.Made() == "" {
				continue
			}
			if made, err := got.Created(ctx, object, s.Made()); !made || err != nil {
				t.Fatalf("created %s: %v, %v", s.Made(), made, err)
			}
		}
	}
	names := map[string]journal.Identifier{}
	for _, o := range held.Objects {
		names[nameKey(o.Identifier)] = o.Identifier
	}
	for _, name := range names {
		holders, err := got.Holders(ctx, name)
		wanted, wantErr := want.Holders(ctx, name)
		if err != nil || wantErr != nil {
			t.Fatal(err, wantErr)
		}
		differ(t, "holders", holders, wanted)
	}
	sameLists(t, got, held)
}

// sameLists compares what a snapshot lists with a dump, also from the middle on.
func sameLists(t *rapid.T, got *Snapshot, want Dump) {
	objects := map[string]Object{}
	for _, o := range want.Objects {
		if !o.Dropped {
			objects[nameKey(o.Identifier)] = o.Object
		}
	}
	listed(t, got.EachObject, objects)
	namespaces := map[string]Namespace{}
	for _, n := range want.Namespaces {
		namespaces[n.Name.Key()] = n
	}
	listed(t, got.EachNamespace, namespaces)
}

func listed[V any](t *rapid.T, each func(string) iter.Seq2[string, V], want map[string]V) {
	keys := slices.Sorted(maps.Keys(want))
	for after := -1; after < len(keys); after++ {
		from, rest := "", keys
		if after >= 0 {
			from, rest = keys[after], keys[after+1:]
		}
		var got []string
		for key, v := range each(from) {
			got = append(got, key)
			differ(t, key, v, want[key])
		}
		if !slices.Equal(got, rest) {
			t.Fatalf("after %q: %q, want %q", from, got, rest)
		}
	}
}

func differ(t *rapid.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// counted counts the events that are read.
type counted struct {
	journal.Reader
	mu    sync.Mutex
	read  int // guarded by mu
	limit int // guarded by mu: more are not given; 0: all are
}

var errOver = errors.New("no more is read")

func (c *counted) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range c.Reader.Scan(ctx, after) {
			c.mu.Lock()
			c.read++
			over := c.limit > 0 && c.read > c.limit
			c.mu.Unlock()
			if over {
				yield(journal.Event{}, errOver)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (c *counted) reset(limit int) (read int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read, c.read, c.limit = c.read, 0, limit
	return read
}

// pastOf is the past of n namespaces and their birth, and the reads of it.
func pastOf(t *testing.T, n int) (*Past, *counted) {
	t.Helper()
	id, j := uuid.New(), journal.NewMemory()
	story := journaltest.NewStory(id)
	for i := range n {
		story.CreateNamespace(journal.Namespace{fmt.Sprintf("n%06d", i)}, nil)
	}
	journaltest.Append(t, j, journaltest.Entries(t, story.Drafts, journaltest.Start))
	from := &counted{Reader: journal.Lineage(j, id)}
	return NewPast(id, from, NewState(id)), from
}

// Whoever asks for one moment at once has it folded once, and the next one goes on
// from there.
func TestPastFoldsOnce(t *testing.T) {
	past, from := pastOf(t, 2000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := past.At(t.Context(), 2000); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if read := from.reset(0); read > 2000+8+batch {
		t.Errorf("%d events were read", read)
	}
	if _, err := past.At(t.Context(), 2001); err != nil {
		t.Fatal(err)
	}
	if read := from.reset(0); read > 4 {
		t.Errorf("%d events were read to go on by one", read)
	}
}

// What ended too soon is gone on with.
func TestPastGoesOn(t *testing.T) {
	past, from := pastOf(t, 4000)
	from.reset(3000)
	if _, err := past.At(t.Context(), 4001); !errors.Is(err, errOver) {
		t.Fatal(err)
	}
	from.reset(3000)
	if s, err := past.At(t.Context(), 4001); err != nil || s.Position().Seq != 4001 {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := past.At(over, 17); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Few moments are kept, the last used among them, and none that is too large with
// others.
func TestPastIsBounded(t *testing.T) {
	past, from := pastOf(t, 200)
	for seq := journal.Seq(1); seq <= 201; seq++ {
		if _, err := past.At(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		if _, err := past.At(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if len(past.kept) != maxSnapshots {
		t.Errorf("%d are kept", len(past.kept))
	}
	from.reset(0)
	for _, seq := range []journal.Seq{1, 201, 200} {
		if _, err := past.At(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if read := from.reset(0); read != 3 {
		t.Errorf("%d events were read of moments that should be kept", read)
	}
	past.kept[0].weight = maxKeptWeight + 1
	if _, err := past.At(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	for _, k := range past.kept {
		if k.weight > maxKeptWeight {
			t.Error("what is too large is kept though others were used since")
		}
	}
}

func TestPastOfNothing(t *testing.T) {
	past, _ := pastOf(t, 3)
	for _, seq := range []journal.Seq{0, 5, 1_000_000} {
		if _, err := past.At(t.Context(), seq); !errors.Is(err, journal.ErrNoEvent) {
			t.Errorf("%d: %v", seq, err)
		}
	}
	unborn := NewPast(uuid.New(), journal.Lineage(journal.NewMemory(), uuid.New()), NewState(uuid.New()))
	if _, err := unborn.At(t.Context(), 1); !errors.Is(err, journal.ErrNoEvent) {
		t.Errorf("unborn: %v", err)
	}
}
