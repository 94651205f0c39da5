package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

// Chained is a history in which one table's documents are kept as patches, each on
// the one before, up to their limit, with one kept whole in between.
type Chained struct {
	Entries []journal.Entry
	Plain   map[journal.Seq][]byte // the documents, by the seqs of the chain
	Bases   map[journal.Seq]journal.Base
}

// Chain makes a history with so many documents in chains.
func Chain(t testing.TB, warehouse uuid.UUID, documents int) Chained {
	t.Helper()
	c := Chained{Entries: Entries(t, sales(warehouse).Drafts, Start), Plain: map[journal.Seq][]byte{}, Bases: map[journal.Seq]journal.Base{}}
	plain := grown(0)
	c.add(t, plain, whole(t, plain))
	for n := 1; n < documents; n++ {
		c.grow(t, n)
	}
	return c
}

// grown is a document after so many changes: noise, which no compression makes
// small, so that only a patch is.
func grown(n int) []byte {
	text := noise(2 * journal.MinPatched)
	for i := range n {
		text = append(text, fmt.Sprintf("change %d %x", i, text[i*17:i*17+40])...)
		text[i*100] ^= 0xff
	}
	return text
}

func whole(t testing.TB, plain []byte) journal.Document {
	t.Helper()
	d, ok := journal.KeepDocument(0, plain, journal.MaxDocumentBytes)
	if !ok {
		t.Fatal("a document is not kept")
	}
	return d
}

// grow adds the next document on the last one.
func (c *Chained) grow(t testing.TB, n int) {
	t.Helper()
	last := c.last().Event.Seq
	plain := grown(n)
	d, ok := journal.KeepPatch(0, plain, c.Bases[last], c.Plain[last], journal.MaxDocumentBytes)
	if ok != (c.Bases[last].Patches < journal.MaxPatches) {
		t.Fatalf("on %d patches there may be one more: %t", c.Bases[last].Patches, ok)
	}
	if !ok {
		d = whole(t, plain)
	}
	if ok && len(d.Data) > 1000 {
		t.Errorf("a patch has %d bytes", len(d.Data))
	}
	c.add(t, plain, d)
}

func (c *Chained) last() journal.Entry { return c.Entries[len(c.Entries)-1] }

// add adds an event that keeps a document.
func (c *Chained) add(t testing.TB, plain []byte, kept ...journal.Document) {
	t.Helper()
	e := madeBy(t, c.last(), plain, kept...)
	c.Entries, c.Plain[e.Event.Seq] = append(c.Entries, e), plain
	c.Bases[e.Event.Seq] = journal.Base{Seq: e.Event.Seq, Patches: kept[0].Patches()}
}

// madeBy is an event after another that makes a document, of a table of its own:
// the journal does not ask of what.
func madeBy(t testing.TB, last journal.Entry, plain []byte, kept ...journal.Document) journal.Entry {
	t.Helper()
	name := fmt.Sprint("t", last.Event.Seq+1)
	location := "s3://lake/wh/" + name
	e, _, err := journal.ChainAt(last.Event).Next(journal.Draft{
		Warehouse: last.Event.Warehouse, ID: uuid.NewSHA1(last.Event.ID, []byte(name)), Documents: kept,
		Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
		Body: journal.TableCreated{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: uuid.NewSHA1(lake, []byte(name)), Updates: actions[journal.Table][0],
			To: &journal.To{
				Identifier: journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: name}, Location: location,
				Places: []journal.Place{{Path: location[len("s3:"):] + "/", Role: "location"}},
				Pointer: journal.Pointer{
					MetadataLocation: location + "/metadata/1.metadata.json", Encoding: journal.EncodingNone, Size: int64(len(plain)),
					SHA256: journal.Sum(plain), DocumentSHA256: journal.Sum(plain),
				},
			},
		}}},
	}, journal.At(last.Event.At))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Append appends the entries, each alone: what a patch is built on is there before.
func (c *Chained) Append(t testing.TB, j journal.Journal) {
	t.Helper()
	for _, e := range c.Entries {
		Append(t, j, []journal.Entry{e})
	}
}

// Want checks that every document of the chains comes back.
func (c *Chained) Want(t testing.TB, j journal.Journal) {
	t.Helper()
	for seq, plain := range c.Plain {
		got, err := j.Warehouse(c.Entries[0].Event.Warehouse).Document(context.Background(), seq, 0)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("the document of %d, %d bytes, comes back with %d, %v", seq, len(plain), len(got), err)
		}
	}
}

// testPatches keeps two full chains, over reopenings.
func testPatches(t *testing.T, open Open) {
	j, reopen := open(t)
	c := Chain(t, lake, 1)
	Append(t, j, c.Entries)
	for n := range 2 * (journal.MaxPatches + 1) {
		c.grow(t, n+1)
		Append(t, j, []journal.Entry{c.last()})
		if reopen != nil && n%20 == 0 {
			j = reopen()
		}
	}
	highest := 0
	for _, base := range c.Bases {
		highest = max(highest, base.Patches)
	}
	if highest != journal.MaxPatches {
		t.Errorf("the highest chain is of %d patches", highest)
	}
	c.Want(t, j)
	wantEvents(t, j, lake, c.Entries)
}

// testPatchesNeedTheirBase refuses what could never be opened.
func testPatchesNeedTheirBase(t *testing.T, open Open) {
	j, _ := open(t)
	c := Chain(t, lake, 3)
	c.Append(t, j)
	last := c.last()
	at := c.Bases[last.Event.Seq]
	plain := grown(3)
	on := func(base journal.Base) journal.Entry {
		d, ok := journal.KeepPatch(0, plain, base, c.Plain[last.Event.Seq], journal.MaxDocumentBytes)
		if !ok {
			t.Fatal("it is kept whole")
		}
		return madeBy(t, last, plain, d)
	}
	for what, base := range map[string]journal.Base{
		"no such event":     {Seq: 1, Patches: at.Patches},
		"no such move":      {Seq: at.Seq, Move: 1, Patches: at.Patches},
		"fewer patches":     {Seq: at.Seq, Patches: at.Patches - 1},
		"more patches":      {Seq: at.Seq, Patches: at.Patches + 1},
		"one that has none": {Seq: 2, Patches: at.Patches},
	} {
		wantError(t, what, j.Append(context.Background(), on(base)), journal.ErrNoBase)
	}
	first := on(at)
	wantError(t, "the event itself", j.Append(context.Background(), on(journal.Base{Seq: first.Event.Seq})), journal.ErrRecord)
	d, _ := journal.KeepPatch(0, grown(4), journal.Base{Seq: first.Event.Seq, Patches: at.Patches + 1}, plain, journal.MaxDocumentBytes)
	second := madeBy(t, first, grown(4), d)
	wantError(t, "one of the same group", j.Append(context.Background(), first, second), journal.ErrNoBase)
	wantEvents(t, j, lake, c.Entries)
	Append(t, j, []journal.Entry{first})
	Append(t, j, []journal.Entry{second})
	testPatchesStayInside(t, j, second, c.Bases[c.Entries[len(c.Entries)-1].Event.Seq])
}

// testPatchesStayInside refuses a patch on a document of an earlier incarnation.
func testPatchesStayInside(t *testing.T, j journal.Journal, last journal.Entry, base journal.Base) {
	t.Helper()
	first, _, err := journal.NewChain(lake, uuid.NewSHA1(lake, []byte("next")), 1_000_000).Next(journal.Draft{
		Warehouse: lake, ID: uuid.NewSHA1(lake, []byte("start")), Cause: journal.Cause{Actor: "system:recover", Origin: journal.OriginRecover},
		Body: journal.IncarnationStarted{Parent: &last.Event.Position, Reason: "recovery", Build: "test", Name: "lake", Location: "s3://lake/wh"},
	}, journal.At(last.Event.At))
	if err != nil {
		t.Fatal(err)
	}
	Append(t, j, []journal.Entry{first})
	d, _ := journal.KeepPatch(0, grown(4), base, grown(3), journal.MaxDocumentBytes)
	wantError(t, "one of an earlier incarnation", j.Append(context.Background(), madeBy(t, first, grown(4), d)), journal.ErrNoBase)
}

// testFalsePatches: what a patch does not make of its base is damage, and who is
// to blame is said.
func testFalsePatches(t *testing.T, open Open) {
	j, _ := open(t)
	c := Chain(t, lake, 1)
	first := c.last().Event.Seq
	c.add(t, bytes.Repeat([]byte("x"), len(grown(0))), whole(t, grown(0))) // false
	bad := c.last().Event.Seq
	d, _ := journal.KeepPatch(0, grown(1), journal.Base{Seq: bad}, grown(0)[:2*journal.MinPatched-1], journal.MaxDocumentBytes)
	c.add(t, grown(1), d) // all the same it is right
	right := c.last().Event.Seq
	d, _ = journal.KeepPatch(0, grown(2), journal.Base{Seq: bad}, append([]byte("shifted"), grown(0)...), journal.MaxDocumentBytes)
	c.add(t, grown(2), d)
	onBad := c.last().Event.Seq
	d, _ = journal.KeepPatch(0, grown(2), journal.Base{Seq: first}, append([]byte("shifted"), grown(0)...), journal.MaxDocumentBytes)
	c.add(t, grown(2), d)
	itself := c.last().Event.Seq
	c.Append(t, j)
	for seq, base := range map[journal.Seq]journal.Seq{bad: 0, onBad: bad, itself: 0} {
		_, err := j.Warehouse(lake).Document(context.Background(), seq, 0)
		if damage, ok := errors.AsType[*journal.Damage](err); !ok || damage.Seq != seq || damage.Base != base {
			t.Errorf("document of %d: %v, want one that blames %d", seq, err, base)
		}
	}
	if got, err := j.Warehouse(lake).Document(context.Background(), right, 0); err != nil || !bytes.Equal(got, grown(1)) {
		t.Errorf("what has its digest comes back with %d bytes, %v", len(got), err)
	}
}
