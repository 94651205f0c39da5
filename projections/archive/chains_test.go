package archive_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
	"puddle/recover"
)

// growing is a table whose documents are patches, each on the one before.
type growing struct {
	entries []journal.Entry
	plain   [][]byte
	patches []int // that the documents are made of
	text    []byte
}

func newGrowing(t *testing.T) *growing {
	t.Helper()
	s := journaltest.NewStory(lake)
	return &growing{entries: journaltest.Entries(t, s.Drafts, journaltest.Start), text: bytes.Repeat([]byte("0123456789abcdef"), 1024)}
}

// grow adds a version, a patch if the one before is made of so many of them.
func (g *growing) grow(t *testing.T, patches int) journal.Entry {
	t.Helper()
	last, n := g.entries[len(g.entries)-1].Event, len(g.plain)
	g.text = fmt.Appendf(bytes.Clone(g.text), "change %d", n)
	kept, ok := journal.KeepDocument(0, g.text, journal.MaxDocumentBytes)
	if n > 0 {
		if patch, is := journal.KeepPatch(0, g.text, journal.Base{Seq: last.Seq, Patches: patches}, g.plain[n-1], journal.MaxDocumentBytes); is {
			kept = patch
		}
	}
	location := fmt.Sprintf("s3://lake/wh/t/metadata/%d.metadata.json", n)
	to := journal.To{Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}, Location: "s3://lake/wh/t", Pointer: journal.Pointer{
		MetadataLocation: location, Encoding: journal.EncodingNone, Size: int64(len(g.text)), SHA256: journal.Sum(g.text), DocumentSHA256: journal.Sum(g.text),
	}}
	e, _, err := journal.ChainAt(last).Next(journal.Draft{
		Warehouse: lake, ID: uuid.NewSHA1(lake, []byte(location)), Documents: []journal.Document{kept},
		Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
		Body:  journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: lake, To: &to}}},
	}, journal.At(journaltest.Start.Add(time.Duration(n+1)*time.Hour)))
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	g.entries, g.plain, g.patches = append(g.entries, e), append(g.plain, g.text), append(g.patches, kept.Patches())
	return e
}

// mixed is the archive of a journal that was compacted when it had 20 versions of a
// table: those that were sealed later are built on other numbers of patches.
func mixed(t *testing.T) (*growing, *memory.Store) {
	t.Helper()
	path, disk, g := filepath.Join(t.TempDir(), "journal.db"), memory.New(), newGrowing(t)
	during := func(do func(j *bolt.Journal)) {
		j, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		do(j)
		seal := archive.NewSealer(archive.Options{ID: lake, Store: disk, From: j, Failed: func(err error) { t.Error(err) }}, 7)
		if err := seal.Seal(ctx); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	during(func(j *bolt.Journal) {
		for i := range 20 {
			g.grow(t, i-1)
		}
		for _, e := range g.entries {
			journaltest.Append(t, j, []journal.Entry{e})
		}
	})
	done, err := bolt.Compact(ctx, path, bolt.CompactOptions{Retain: 10*time.Hour + time.Minute, Now: journaltest.Start.AddDate(1, 0, 0)})
	if err != nil || done.Histories[0].Erased != 9 {
		t.Fatalf("%+v, %v", done, err)
	}
	during(func(j *bolt.Journal) {
		for i := 20; i < 50; i++ {
			journaltest.Append(t, j, []journal.Entry{g.grow(t, (i-10)%(journal.MaxPatches+1))})
		}
	})
	return g, disk
}

// After a compaction has begun chains anew in the journal, what is sealed is built on
// documents that the archive has in another form: it is no damage, and all are the same.
func TestDocumentsAfterACompaction(t *testing.T) {
	g, disk := mixed(t)
	if depth := g.patches[20]; depth != 11 {
		t.Fatalf("after the compaction a patch is one of %d", depth)
	}
	a, err := archive.Open(ctx, disk)
	if err != nil {
		t.Fatal(err)
	}
	r := a.Warehouse(lake)
	for i, plain := range g.plain {
		if got, err := r.Document(ctx, g.entries[i+1].Event.Seq, 0); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("version %d: %v", i, err)
		}
	}
}

// A journal takes them over, and keeps the same documents.
func TestCarryAfterACompaction(t *testing.T) {
	g, disk := mixed(t)
	a, err := archive.Open(ctx, disk)
	if err != nil {
		t.Fatal(err)
	}
	into, err := bolt.Open(filepath.Join(t.TempDir(), "into.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if n, err := recover.Carry(ctx, a, into, lake); n != len(g.entries) || err != nil {
		t.Fatalf("carried %d of %d events: %v", n, len(g.entries), err)
	}
	for i, plain := range g.plain {
		if got, err := into.Warehouse(lake).Document(ctx, g.entries[i+1].Event.Seq, 0); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("version %d: %v", i, err)
		}
	}
}
