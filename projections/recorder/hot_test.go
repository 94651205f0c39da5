package recorder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// tinyHot has room for some four objects, so that most are pushed out.
const tinyHot = 2500

// hotTable is one table of many.
func hotTable(n int) projections.Object {
	location := fmt.Sprintf("s3://lake/warehouse/sales/table-%d", n)
	return projections.Object{
		Kind: journal.Table, UUID: uuid.New(), Location: location,
		Identifier: journal.Identifier{Namespace: journal.Namespace{"prod", "sales"}, Name: fmt.Sprint("table-", n)},
		Pointer:    journal.Pointer{MetadataLocation: fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", location, n, uuid.New())},
	}
}

// remember keeps an object as a reader does that missed it.
func remember(h *hotMap, o projections.Object) {
	if _, miss, ok := h.find(o.Identifier); !ok {
		miss.fill(o)
	}
}

// What the map weighs is what it says, and below its bound, whatever the names
// were cut from and whichever tables are asked for.
func TestHotMapIsBounded(t *testing.T) {
	before := heap()
	h := newHotMap(hotBytes, hotShards)
	for n := range 60_000 {
		o := hotTable(n)
		request := strings.Repeat("x", 4<<10) + o.Identifier.Name
		o.Identifier.Name = request[4<<10:]
		remember(h, o)
	}
	r := Recorder{hot: hotMaps{uuid.Nil: h}}
	stats, grown := r.HotStats(), heap()-before
	if stats.Bytes > hotBytes || stats.Objects < 25_000 || stats.Misses != 60_000 {
		t.Errorf("holds %+v", stats)
	}
	if grown > hotBytes*11/10 {
		t.Errorf("%d objects said to be of %d bytes weigh %d", stats.Objects, stats.Bytes, grown)
	}
	runtime.KeepAlive(h)
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// What is asked for again and again stays, whatever else comes by.
func TestHotMapKeepsWhatIsUsed(t *testing.T) {
	h, used := newHotMap(8*tinyHot, 1), hotTable(-1)
	remember(h, used)
	for n := range 1000 {
		remember(h, hotTable(n))
		o, _, ok := h.find(used.Identifier)
		if diff := cmp.Diff(used, o); !ok || diff != "" {
			t.Fatalf("after %d others it is there: %v\n%s", n, ok, diff)
		}
	}
}

// A name that is too large to be kept is asked for in the tables each time.
func TestHotMapLeavesTheLarge(t *testing.T) {
	h, large := newHotMap(tinyHot, 1), hotTable(1)
	large.Pointer.MetadataLocation += strings.Repeat("x", tinyHot)
	remember(h, hotTable(2))
	remember(h, large)
	h.shards[0].settle(h.slot(large.Identifier).hash, newHotEntry(large))
	if _, _, ok := h.find(large.Identifier); ok || len(h.shards[0].ring) != 1 {
		t.Errorf("it is there: %v, beside %d", ok, len(h.shards[0].ring))
	}
}

// What a group leaves of a name takes the place of what a reader kept meanwhile.
func TestHotMapTakesWhatAGroupLeaves(t *testing.T) {
	h, read, left := newHotMap(hotBytes, 1), hotTable(1), hotTable(1)
	remember(h, read)
	h.shards[0].settle(h.slot(left.Identifier).hash, newHotEntry(left))
	if o, _, _ := h.find(left.Identifier); o.UUID != left.UUID {
		t.Errorf("it is %s", o.UUID)
	}
	hotMaps{uuid.Nil: h}.check(t)
}

// Names whose hashes are the same are not taken for each other.
func TestHotMapComparesNames(t *testing.T) {
	h, one, two := newHotMap(hotBytes, 1), hotTable(1), hotTable(2)
	h.shards[0].put(h.slot(two.Identifier).hash, newHotEntry(one))
	if o, _, ok := h.find(two.Identifier); ok {
		t.Errorf("%s is said to be %s", two.Identifier, o.Identifier)
	}
	for _, id := range []journal.Identifier{
		{Namespace: journal.Namespace{"sales", "prod"}, Name: "table-1"},
		{Namespace: journal.Namespace{"prod"}, Name: "table-1"},
		{Name: "table-1"},
	} {
		if h.slot(id) == h.slot(one.Identifier) {
			t.Errorf("%s has the hash of %s", id, one.Identifier)
		}
	}
}

// A hit allocates nothing.
func TestHotMapHitIsFree(t *testing.T) {
	h, o := newHotMap(hotBytes, hotShards), hotTable(1)
	remember(h, o)
	if n := testing.AllocsPerRun(100, func() { h.find(o.Identifier) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever groups leave and whatever is asked before, in and after them, a reader
// says what the tables say, however late what was asked before is answered. Some
// groups are only shown when they are caught up with.
func TestLawHotMapIsTheTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		story := journaltest.DrawStory(t, uuid.New())
		entries := journaltest.Entries(t, story.Drafts, journaltest.Start)
		store := projections.NewMemory()
		hot := hotMaps{story.Warehouse: newHotMap(tinyHot, 1)}
		law := hotLaw{T: t, hot: hot[story.Warehouse], tables: store.Warehouse(story.Warehouse), names: namesOf(entries)}
		law.apply(entries[0].Event)
		for entries = entries[1:]; len(entries) > 0; {
			group := entries[:rapid.IntRange(1, min(4, len(entries))).Draw(t, "group")]
			entries = entries[len(group):]
			law.readers()
			moved := hot.shut(group)
			law.readers()
			for _, e := range group {
				law.apply(e.Event)
			}
			law.readers()
			if rapid.IntRange(0, 3).Draw(t, "caught up") == 0 {
				hot.empty()
			} else {
				moved.settle()
			}
			law.readers()
			hot.check(t)
		}
	})
}

type hotLaw struct {
	*rapid.T
	hot    *hotMap
	tables projections.Warehouse
	names  []journal.Identifier
	late   []asked
}

func namesOf(entries []journal.Entry) (names []journal.Identifier) {
	for _, e := range entries {
		for _, m := range e.Event.Moves() {
			names = append(names, m.Identifier())
		}
	}
	return names
}

func (l *hotLaw) apply(e journal.Event) {
	if err := l.tables.Apply(context.Background(), e); err != nil {
		l.Fatal(err)
	}
}

// asked is a question that the tables have answered and nobody knows yet.
type asked struct {
	miss   hotMiss
	object projections.Object
}

// readers come by: some ask and are late, some that were late go on, some are
// quick. What those see is what the tables hold.
func (l *hotLaw) readers() {
	some := func(what string) []journal.Identifier {
		if len(l.names) == 0 {
			return nil
		}
		return rapid.SliceOfN(rapid.SampledFrom(l.names), 0, 4).Draw(l.T, what)
	}
	for _, id := range some("late") {
		_, miss, ok := l.hot.find(id)
		if o, err := l.tables.Object(context.Background(), id); !ok && err == nil {
			l.late = append(l.late, asked{miss, o})
		}
	}
	for range rapid.IntRange(0, len(l.late)).Draw(l.T, "go on") {
		i := rapid.IntRange(0, len(l.late)-1).Draw(l.T, "who")
		l.late[i].miss.fill(l.late[i].object)
		l.late = slices.Delete(l.late, i, i+1)
	}
	r := reader{gate: &gate{}, hot: l.hot, tables: l.tables}
	for _, id := range some("quick") {
		want, wantErr := l.tables.Object(context.Background(), id)
		got, err := r.Object(context.Background(), id)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
			l.Fatalf("%s: %v, want %v\n%s", id, err, wantErr, diff)
		}
	}
}

// check compares the parts of the maps with each other.
func (m hotMaps) check(tb rapid.TB) {
	for _, h := range m {
		for i := range h.shards {
			s, bytes := &h.shards[i], 0
			for at, e := range s.ring {
				if bytes += e.bytes(); int(e.at) != at || s.held[e.hash] != e {
					tb.Fatalf("entry %d of the ring is at %d, and held %v", at, e.at, s.held[e.hash] == e)
				}
			}
			if len(s.held) != len(s.ring) || s.bytes != bytes || bytes > s.limit {
				tb.Fatalf("%d held, %d in the ring, of %d bytes, said to be %d, at most %d", len(s.held), len(s.ring), bytes, s.bytes, s.limit)
			}
		}
	}
}

func BenchmarkHotMap(b *testing.B) {
	h, o := newHotMap(hotBytes, hotShards), hotTable(1)
	remember(h, o)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, _, ok := h.find(o.Identifier); !ok {
				b.Error("it is not there")
			}
		}
	})
}
