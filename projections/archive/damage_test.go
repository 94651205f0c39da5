package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/archive"
)

// copied is an archive of one incarnation with segments of four events, that may be
// spoiled.
func copied(t *testing.T) (*world, uuid.UUID) {
	t.Helper()
	w := newWorld(chain(t, 6).Entries)
	w.grow(t, len(w.pending))
	if err := w.sealer(w.disk, 4).Seal(ctx); err != nil {
		t.Fatal(err)
	}
	return w, w.all[0].Event.Incarnation
}

// readAll reads everything there is, all ways, and answers the first error.
func (w *world) readAll() error {
	a, err := archive.Open(ctx, w.disk)
	if err != nil {
		return err
	}
	r := a.Warehouse(lake)
	for _, err := range r.ScanBack(ctx, 0) {
		if err != nil {
			return err
		}
	}
	for e, err := range r.(journal.Entries).Entries(ctx, 0) {
		if err != nil {
			return err
		}
		for move := range e.Event.Moves() {
			if _, err := r.Document(ctx, e.Event.Seq, move); err != nil && !errors.Is(err, journal.ErrNotKept) && !errors.Is(err, journal.ErrNoEvent) {
				return err
			}
		}
	}
	return nil
}

func (w *world) spoil(t *testing.T, key string, how func([]byte) []byte) {
	t.Helper()
	if err := w.disk.Put(ctx, key, how(get(t, w.disk, key))); err != nil {
		t.Fatal(err)
	}
}

// Every damage is found, and says which object it is.
func TestDamageNamesTheObject(t *testing.T) {
	replace := func(old, new string) func([]byte) []byte {
		return func(data []byte) []byte {
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("there is no %s in it", old)
			}
			return bytes.Replace(data, []byte(old), []byte(new), 1)
		}
	}
	flip := func(at int) func([]byte) []byte {
		return func(data []byte) []byte {
			data[(at+len(data))%len(data)] ^= 1
			return data
		}
	}
	cut := func(data []byte) []byte { return data[:len(data)-1] }
	for name, how := range map[string]func([]byte) []byte{
		"cut off": cut, "empty": func([]byte) []byte { return nil }, "magic": flip(0), "payload": flip(-5), "longer": func(d []byte) []byte { return append(d, 0) },
		"bytes": replace(`{"bytes":`, `{"bytes":1`), "count": replace(`"count":`, `"count":1`), "warehouse": replace(lake.String(), uuid.NewString()),
		"part": replace(`"part":"`, `"part":"x`), "no prev": replace(`"prev"`, `"prec"`), "version 0": replace(`"format-version":1`, `"format-version":0`),
		"first": replace(`"seq":`, `"seq":1`), "negative": replace(`{"bytes":`, `{"bytes":-`), "json": replace(`{"bytes":`, `{"bytes":x`),
	} {
		whole, _ := copied(t)
		for key := range strings.Lines(whole.names(t)) {
			if key = strings.TrimSpace(key); key == archive.HintKey {
				continue
			}
			w := whole.clone(t)
			w.spoil(t, key, how)
			var damage *archive.Damage
			var place *journal.Damage
			if err := w.readAll(); !errors.As(err, &damage) || damage.Object != key || !errors.As(err, &place) {
				t.Errorf("%s of %s: %v", name, key, err)
			}
		}
	}
}

// clone is a world with a copy of the warehouse.
func (w *world) clone(t *testing.T) *world {
	t.Helper()
	c := *w
	c.disk = memory.New()
	for e, err := range w.disk.List(ctx, "") {
		if err == nil {
			err = c.disk.Create(ctx, e.Key, get(t, w.disk, e.Key))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &c
}

// An audit tells what is wrong, all of it, and goes on behind it.
func TestAudit(t *testing.T) {
	w, incarnation := copied(t)
	audit := func(w *world) (found []error) {
		done, err := archive.Audit(ctx, w.disk, lake, w.journal, func(err error) { found = append(found, err) })
		if err != nil || done.Events == 0 {
			t.Fatalf("%d events, %v", done.Events, err)
		}
		return found
	}
	if found := audit(w); len(found) > 0 {
		t.Errorf("of a whole archive: %v", found)
	}
	w.spoil(t, archive.EventsKey(incarnation, 5), func(data []byte) []byte { return data[1:] })
	for _, name := range []string{archive.EventsKey(incarnation, 13), archive.DocumentsKey(incarnation, 17)} {
		if err := w.disk.Delete(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	found := audit(w)
	want := []string{archive.EventsKey(incarnation, 5), archive.EventsKey(incarnation, 13), archive.DocumentsKey(incarnation, 17)}
	if len(found) != len(want) {
		t.Fatalf("found %v", found)
	}
	for i, name := range want {
		var damage *archive.Damage
		if !errors.As(found[i], &damage) || damage.Object != name {
			t.Errorf("found %v, want one of %s", found[i], name)
		}
	}
	older, _ := copied(t)
	older.journal = journal.NewMemory()
	older.pending, older.all = chain(t, 6).Entries[:9], nil
	older.grow(t, 9)
	if found := audit(older); len(found) != 1 || !errors.Is(found[0], archive.ErrAhead) {
		t.Errorf("beside an older journal: %v", found)
	}
	none := newWorld(nil)
	if done, err := archive.Audit(ctx, none.disk, lake, none.journal, func(err error) { t.Error(err) }); done.Events != 0 || err != nil {
		t.Errorf("of none: %d, %v", done.Events, err)
	}
}

// Objects that are gone, or of another history, are told with the first event that is
// missing there.
func TestGaps(t *testing.T) {
	for _, first := range []journal.Seq{5, 9, 17} {
		for _, key := range []func(uuid.UUID, journal.Seq) string{archive.EventsKey, archive.DocumentsKey} {
			w, incarnation := copied(t)
			name := key(incarnation, first)
			if err := w.disk.Delete(ctx, name); err != nil {
				t.Fatal(err)
			}
			var damage *archive.Damage
			if err := w.readAll(); !errors.As(err, &damage) || damage.Object != name || damage.Seq != first || damage.Incarnation != incarnation {
				t.Errorf("without %s: %v", name, err)
			}
		}
	}
	w, incarnation := copied(t)
	name := archive.EventsKey(incarnation, 1)
	if err := w.disk.Delete(ctx, name); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open(ctx, w.disk); err == nil || !strings.Contains(err.Error(), "does not start the incarnation") {
		t.Errorf("without its beginning: %v", err)
	}
}

// A segment of another history does not link.
func TestForeignSegment(t *testing.T) {
	w, incarnation := copied(t)
	key := archive.EventsKey(incarnation, 9)
	moved := bytes.Replace(get(t, w.disk, archive.EventsKey(incarnation, 13)), []byte(`"seq":13`), []byte(`"seq":9`), 1)
	if err := w.disk.Put(ctx, key, moved); err != nil {
		t.Fatal(err)
	}
	var damage *archive.Damage
	if err := w.readAll(); !errors.As(err, &damage) || damage.Object != key {
		t.Errorf("%v", err)
	}
}

// What a newer build wrote stops the reader by name; what it added does not.
func TestNewerBuilds(t *testing.T) {
	for change, want := range map[string]error{
		`"min-reader":2`:                       archive.ErrNewer,
		`"later":{"x":[1]},"min-reader":1`:     nil,
		`"min-reader":1,"signature":"ed25519"`: nil,
	} {
		w, incarnation := copied(t)
		w.spoil(t, archive.EventsKey(incarnation, 1), func(data []byte) []byte {
			data = bytes.Replace(data, []byte(`"format-version":1`), []byte(`"format-version":2`), 1)
			return bytes.Replace(data, []byte(`"min-reader":1`), []byte(change), 1)
		})
		if err := w.readAll(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", change, err, want)
		}
	}
	w, incarnation := copied(t)
	w.spoil(t, archive.EventsKey(incarnation, 1), func(data []byte) []byte {
		return bytes.Replace(data, []byte(`"encoding":"zstd"`), []byte(`"encoding":"xz"`), 1)
	})
	if err := w.readAll(); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("another encoding: %v", err)
	}
}

// What is not an archive is none, and what else lies there is nobody's.
func TestStrangeNames(t *testing.T) {
	store := memory.New()
	for _, name := range []string{"HEAD", "x/00000000000000000001.events", uuid.NewString() + "/1.events", uuid.NewString() + "/00000000000000000001.documents"} {
		if err := store.Create(ctx, archive.Folder+"/"+name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := archive.Open(ctx, store); !errors.Is(err, archive.ErrNone) {
		t.Errorf("%v", err)
	}
	if head, found, err := archive.Head(ctx, store); found || err != nil {
		t.Errorf("head %s, %v", head, err)
	}
	w, _ := copied(t)
	a, other := w.open(t), uuid.New()
	if _, err := a.Warehouse(other).Head(ctx); !errors.Is(err, journal.ErrNoWarehouse) {
		t.Errorf("another warehouse: %v", err)
	}
	if all, err := a.Incarnations(ctx, other); len(all) > 0 || err != nil {
		t.Errorf("another warehouse: %v, %v", all, err)
	}
	if got := entries(t, a.Incarnation(lake, other), 0); len(got) > 0 {
		t.Errorf("an incarnation that is not held has %d events", len(got))
	}
}
