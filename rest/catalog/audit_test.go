package catalog_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/rest/metadata"
)

// audit checks everything that must hold of a ground at rest, but for files that
// the test has broken, and answers its events without the birth.
func audit(tb rapid.TB, g *ground, broken ...string) []journal.Event {
	tb.Helper()
	events := auditTables(tb, g)
	named := map[string]bool{}
	mayGo := sync.OnceValue(func() map[string]bool { return outdated(tb, g, events) })
	for _, e := range events {
		for i, m := range e.Moves() {
			if !brings(e, m) {
				continue
			}
			at := m.To.Pointer.MetadataLocation
			if named[at] && !registers(e) { // law 8
				tb.Fatalf("event %s makes %s, as one before it did", e.Position, at)
			}
			named[at] = true
			if !slices.Contains(broken, at) && (present(tb, g, at) || !mayGo()[at]) {
				auditFile(tb, g, e, i, m)
			}
		}
	}
	return events[1:]
}

// brings tells that a move of an event goes to another file.
func brings(e journal.Event, m journal.Move) bool {
	return m.To != nil && e.Kind() != journal.KindTableRenamed && e.Kind() != journal.KindViewRenamed
}

// registers tells that an event brings a file that was there already.
func registers(e journal.Event) bool {
	switch e.Kind() {
	case journal.KindTableRegistered, journal.KindViewRegistered, journal.KindTableUndropped, journal.KindViewUndropped,
		journal.KindTableRepointed, journal.KindViewRepointed:
		return true
	}
	return false
}

// auditTables compares the pointer tables with the journal: laws 1, 2 and 6.
func auditTables(tb rapid.TB, g *ground) []journal.Event {
	tb.Helper()
	events := journaltest.Events(tb, g.journal.Warehouse(lake), 0)
	live, replayed := projections.NewState(lake), projections.NewState(lake)
	for i, e := range events {
		if e.Seq != journal.Seq(i+1) {
			tb.Fatalf("event %d has the seq %d", i+1, e.Seq)
		}
		must(tb, live.Apply(ctx, e))
	}
	must(tb, projections.CatchUp(ctx, g.journal.Warehouse(lake), 0, replayed))
	want := dump(tb, live)
	if diff := cmp.Diff(want, dump(tb, replayed)); diff != "" {
		tb.Fatalf("replay differs from the fold (-fold +replay):\n%s", diff)
	}
	if diff := cmp.Diff(want, dump(tb, g.pointers.Warehouse(lake))); diff != "" {
		tb.Fatalf("the tables differ from the fold (-fold +tables):\n%s", diff)
	}
	return events
}

func dump(tb rapid.TB, of projections.Dumper) projections.Dump {
	tb.Helper()
	d, err := of.Dump(ctx)
	must(tb, err)
	return d
}

// auditFile compares the file that a move made with the move and with the
// document that the journal keeps of it (law 12).
func auditFile(tb rapid.TB, g *ground, e journal.Event, index int, m journal.Move) {
	tb.Helper()
	at := m.To.Pointer.MetadataLocation
	file := fileAt(tb, g, at)
	text, encoding := file, journal.EncodingNone
	if metadata.IsCompressedName(at) {
		text, encoding = unzipped(tb, file), journal.EncodingGzip
	}
	kept, err := g.journal.Warehouse(lake).Document(ctx, e.Seq, index)
	must(tb, err)
	if !bytes.Equal(text, kept) {
		tb.Fatalf("%s is not the document that event %s keeps", at, e.Position)
	}
	want := journal.Pointer{
		MetadataLocation: at, Size: int64(len(file)), SHA256: journal.Sum(file), DocumentSHA256: journal.Sum(text), Encoding: encoding,
	}
	if m.To.Pointer != want {
		tb.Fatalf("event %s points to %+v, the file is %+v", e.Position, m.To.Pointer, want)
	}
	if m.Kind == journal.View {
		auditView(tb, text, e, m)
		return
	}
	d, err := metadata.Parse(text, at)
	must(tb, err)
	if d = d.WithUUID(m.UUID); d.UUID() != m.UUID || d.Location() != m.To.Location {
		tb.Fatalf("event %s moves %s at %s, the file is of %s at %s", e.Position, m.UUID, m.To.Location, d.UUID(), d.Location())
	}
	if current, ok := d.CurrentSnapshotID(); ok != (m.SnapshotID != nil) || ok && current != *m.SnapshotID {
		tb.Fatalf("event %s says snapshot %v, the file says %d", e.Position, m.SnapshotID, current)
	}
	if log := d.MetadataLog(); m.From != nil && !registers(e) && log[len(log)-1].Location != m.From.Pointer.MetadataLocation { // case 113
		tb.Fatalf("%s continues %s, not %s", at, log[len(log)-1].Location, m.From.Pointer.MetadataLocation)
	}
}

func auditView(tb rapid.TB, file []byte, e journal.Event, m journal.Move) {
	tb.Helper()
	v, err := metadata.ParseView(file, m.To.Pointer.MetadataLocation)
	must(tb, err)
	if v.UUID() != m.UUID || v.Location() != m.To.Location || m.SnapshotID != nil {
		tb.Fatalf("event %s moves %s at %s, snapshot %v; the file is of %s at %s", e.Position, m.UUID, m.To.Location, m.SnapshotID, v.UUID(), v.Location())
	}
}

func unzipped(tb rapid.TB, data []byte) []byte {
	tb.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	must(tb, err)
	text, err := io.ReadAll(z)
	must(tb, err)
	return text
}

// fileAt reads a file by its location.
func fileAt(tb rapid.TB, g *ground, location string) []byte {
	tb.Helper()
	file, err := g.files.Get(ctx, key(tb, g, location), 1<<30)
	must(tb, err)
	return file
}

// key is a location's place in the store of files.
func key(tb rapid.TB, g *ground, location string) string {
	tb.Helper()
	key, ok := strings.CutPrefix(location, g.url+"/")
	if !ok {
		tb.Fatalf("%s is not in the warehouse", location)
	}
	return key
}

// files lists every key in the warehouse.
func files(tb rapid.TB, g *ground) []string {
	tb.Helper()
	var keys []string
	for entry, err := range warehouse.Reader(g.files).List(ctx, "") {
		must(tb, err)
		keys = append(keys, entry.Key)
	}
	return keys
}

// strays are the files that no event names.
func strays(tb rapid.TB, g *ground, events []journal.Event) []string {
	tb.Helper()
	named := map[string]bool{}
	for _, e := range events {
		for _, m := range e.Moves() {
			if m.To != nil {
				named[key(tb, g, m.To.Pointer.MetadataLocation)] = true
			}
		}
	}
	var strays []string
	for _, k := range files(tb, g) {
		if !named[k] {
			strays = append(strays, k)
		}
	}
	return strays
}

// last is the newest event.
func last(tb rapid.TB, g *ground, broken ...string) journal.Event {
	tb.Helper()
	events := audit(tb, g, broken...)
	if len(events) == 0 {
		tb.Fatal("the journal holds nothing but the birth")
	}
	return events[len(events)-1]
}
