package bolt_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// freeList is where a closed file keeps its list of free pages.
type freeList struct {
	mark int      // byte at which the newer meta begins
	at   int      // byte at which its page begins
	high uint64   // pages of the file
	ids  []uint64 // fewer than 0xFFFF
}

func freeListOf(t rapid.TB, data []byte) (l freeList) {
	t.Helper()
	size, order := os.Getpagesize(), binary.NativeEndian
	l.mark = 16
	if order.Uint64(data[size+16+48:]) > order.Uint64(data[16+48:]) {
		l.mark += size
	}
	l.at, l.high = int(order.Uint64(data[l.mark+32:]))*size, order.Uint64(data[l.mark+40:])
	for i := range int(order.Uint16(data[l.at+10:])) {
		l.ids = append(l.ids, order.Uint64(data[l.at+16+8*i:]))
	}
	return l
}

// sign makes the checksum of a changed meta right.
func sign(meta []byte) {
	sum := fnv.New64a()
	sum.Write(meta[:56])
	binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
}

func wantPageDamage(t *testing.T, path, what string) {
	t.Helper()
	j, err := bolt.Open(path, bolt.Options{})
	var damage *journal.Damage
	if !errors.As(err, &damage) || !strings.Contains(damage.Reason, "page ") {
		t.Errorf("%s: %v, want damage of a page", what, err)
	}
	if err == nil {
		j.Close()
	}
}

// wantAll appends what is missing to a journal that was opened, event by event, and
// checks that all is there, whole, also when it is opened again.
func wantAll(t *testing.T, j *bolt.Journal, path, what string, entries []journal.Entry) {
	t.Helper()
	head, err := j.Warehouse(lake).Head(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, e := range entries[head.Seq:] {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatalf("%s: append: %v", what, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	j, err = bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Errorf("%s: opened again: %v", what, err)
		return
	}
	defer j.Close()
	_, err = j.Audit(t.Context(), lake, func(f journal.Flaw) {
		if f.Absent == nil {
			t.Errorf("%s: %v", what, f)
		}
	})
	if err != nil {
		t.Errorf("%s: audit: %v", what, err)
	}
	if got := journaltest.Events(t, j.Warehouse(lake), 0); len(got) != len(entries) {
		t.Errorf("%s: %d events, want %d", what, len(got), len(entries))
	}
}

// TestCase155_FreeListFlips flips every bit of a list of free pages, and some of
// the rest of its page: the journal is refused, or appends lose nothing.
func TestCase155_FreeListFlips(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 4)
	entries := history(t, lake, 14)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := freeListOf(t, whole)
	whole = whole[:int(l.high)*os.Getpagesize()] // the file grows ahead of what is in it
	if len(l.ids) < 4 {
		t.Fatalf("free are %v", l.ids)
	}
	refused, harmless := 0, 0
	said := (16 + 8*len(l.ids)) * 8
	for bit := 0; bit < os.Getpagesize()*8; bit++ {
		if bit > said+64 {
			bit = min(bit+1021, os.Getpagesize()*8-1)
		}
		data := slices.Clone(whole)
		data[l.at+bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := bolt.Open(path, bolt.Options{})
		var damage *journal.Damage
		switch {
		case errors.As(err, &damage):
			refused++
		case err != nil:
			t.Errorf("bit %d: %v", bit, err)
		default:
			harmless++
			wantAll(t, j, path, "flipped bit", entries)
		}
	}
	if refused == 0 || harmless == 0 {
		t.Error("one of both never is")
	}
	t.Logf("%d pages are free: %d flips refused, %d harmless", len(l.ids), refused, harmless)
}

// TestCase155_UsedPageListedAsFree lists in turn every page that is in use, those that
// others run over included, and one that is not there.
func TestCase155_UsedPageListedAsFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := withRequests(t, path, 150)
	j := open(t, path)
	for i := range 8 { // pages that run over others
		answer := conflict(strings.Repeat("b", i+1))
		answer.Body = []byte(`"` + strings.Repeat("x", 9_000*(i+1)) + `"`)
		if err := j.Remember(t.Context(), lake, entries[0].Event.At, answer); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := freeListOf(t, whole)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, i := range []int{0, len(l.ids) / 2} {
		for id := range l.high + 1 {
			if id == l.ids[i] {
				continue // that is what it says
			}
			if _, err := file.WriteAt(binary.NativeEndian.AppendUint64(nil, id), int64(l.at+16+8*i)); err != nil {
				t.Fatal(err)
			}
			wantPageDamage(t, path, "a page in use, or listed twice")
		}
		if _, err := file.WriteAt(binary.NativeEndian.AppendUint64(nil, l.ids[i]), int64(l.at+16+8*i)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pages, %d of them free", l.high, len(l.ids))
	open(t, path)
}

// TestCase155_CompactNeedsNoFreeList mends a list of free pages: a compaction writes all
// that the journal holds to a new file.
func TestCase155_CompactNeedsNoFreeList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 9)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, freeListOf(t, whole).at+16, 2)
	put(t, path, freeListOf(t, whole).at+24, 2)
	wantPageDamage(t, path, "a page listed twice")
	if _, err := bolt.Compact(t.Context(), path, bolt.CompactOptions{}); err != nil {
		t.Fatal(err)
	}
	wantAll(t, open(t, path), path, "compacted", history(t, lake, 20))
}

// TestCase155_LongFreeList has more free pages than the page's own count can say.
func TestCase155_LongFreeList(t *testing.T) {
	const many = 70_000
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 4)
	entries := history(t, lake, 14)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, order, size := freeListOf(t, whole), binary.NativeEndian, uint64(os.Getpagesize())
	pages := (16+8+8*uint64(len(l.ids)+1+many))/size + 1
	list := order.AppendUint64(nil, l.high+many)
	list = order.AppendUint16(list, 0x10)
	list = order.AppendUint16(list, 0xFFFF)
	list = order.AppendUint32(list, uint32(pages-1))
	list = order.AppendUint64(list, uint64(len(l.ids)+1+many))
	for _, id := range slices.Sorted(slices.Values(append(l.ids, uint64(l.at)/size))) {
		list = order.AppendUint64(list, id)
	}
	for i := range uint64(many) {
		list = order.AppendUint64(list, l.high+i)
	}
	meta := whole[l.mark:]
	order.PutUint64(meta[32:], l.high+many)
	order.PutUint64(meta[40:], l.high+many+pages)
	sign(meta)
	write := func(last uint64) {
		order.PutUint64(list[len(list)-8:], last)
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, first := file.WriteAt(whole, 0)
		_, second := file.WriteAt(list, int64((l.high+many)*size))
		if err := errors.Join(first, second, file.Truncate(int64((l.high+many+pages)*size)), file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for _, last := range []uint64{0, order.Uint64(meta[16:]), l.ids[0], l.high + many, l.high + many + pages - 1, l.high + many + pages} {
		write(last)
		wantPageDamage(t, path, "the last of many")
	}
	write(l.high + many - 1)
	wantAll(t, open(t, path), path, "many free pages", entries)
}

// TestCase155_PagesOfAnotherSize opens a journal that was made where pages are larger.
func TestCase155_PagesOfAnotherSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	repage(t, path, 4*os.Getpagesize(), history(t, lake, 5))
	if err := bolt.CheckPages(t.Context(), path, func(f journal.Flaw) { t.Error(f) }); err != nil {
		t.Error(err)
	}
	wantAll(t, open(t, path), path, "large pages", history(t, lake, 60))
}
