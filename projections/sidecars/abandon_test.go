package sidecars

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

const root = "s3://lake/wh"

// past is one table whose metadata files have logs.
type past struct {
	*world
	*testing.T
	roots  warehouse.Roots
	chain  journal.Chain
	table  uuid.UUID
	now    *journal.To
	logs   map[string][]string // by file
	max    int                 // length of logs
	kept   bool                // documents are kept in the journal
	beside bool                // and files lie in the warehouse
}

func newPast(t *testing.T) *past {
	location, err := warehouse.ParseLocation(root)
	must(t, err)
	w := &world{journal: journal.NewMemory(), files: memory.New()}
	p := &past{
		world: w, T: t, roots: warehouse.Roots{{URL: root, Location: location, Store: w.files}},
		table: uuid.New(), logs: map[string][]string{}, max: 100, kept: true, beside: true,
	}
	p.chain = journal.NewChain(lake, journaltest.Incarnation(lake), 0)
	p.tell(nil, journal.IncarnationStarted{Build: "test", Location: root, Name: "lake", Reason: "birth"})
	p.tell(nil, journal.NamespaceCreated{ID: uuid.New(), Namespace: orders.Namespace})
	return p
}

// tell appends an event, with the document of its move.
func (p *past) tell(text []byte, body journal.Body) {
	p.Helper()
	d := journal.Draft{Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Body: body, Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST}}
	if text != nil && p.kept {
		kept, _ := journal.KeepDocument(0, text, journal.MaxDocumentBytes)
		d.Documents = []journal.Document{kept}
	}
	entry, chain, err := p.chain.Next(d, journal.At(journaltest.Start))
	must(p, err)
	must(p, p.journal.Append(ctx, entry))
	p.chain = chain
}

// file makes a metadata file from another one, under any spelling of its location.
func (p *past) file(name, from string) (journal.To, []byte) {
	p.Helper()
	at := fmt.Sprintf("%s/t/metadata/%s.metadata.json", root, name)
	type entry struct {
		File string `json:"metadata-file"`
		At   int64  `json:"timestamp-ms"`
	}
	var log []entry
	if from != "" {
		p.logs[at] = append(slices.Clone(p.logs[from]), from)
		p.logs[at] = p.logs[at][max(0, len(p.logs[at])-p.max):]
	}
	for i, f := range p.logs[at] {
		log = append(log, entry{f, int64(i)})
	}
	text, err := json.Marshal(map[string]any{"name": name, "metadata-log": log})
	must(p, err)
	if p.beside {
		data := text
		if len(name)%2 == 0 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, err := z.Write(text)
			must(p, err)
			must(p, z.Close())
			data = packed.Bytes()
		}
		must(p, p.files.Put(ctx, "t/metadata/"+name+".metadata.json", data))
	}
	to := journal.To{Identifier: orders, Location: root + "/t", Pointer: journal.Pointer{
		MetadataLocation: at, Encoding: journal.EncodingNone, Size: int64(len(text)), SHA256: journal.Sum(text), DocumentSHA256: journal.Sum(text),
	}}
	return to, text
}

func (p *past) move(to *journal.To) [1]journal.Move {
	m := journal.Move{Kind: journal.Table, UUID: p.table, To: to}
	if p.now != nil {
		m.From = &journal.From{Identifier: orders, Pointer: p.now.Pointer}
	}
	p.now = to
	return [1]journal.Move{m}
}

// commit makes the next file from the current one.
func (p *past) commit(names ...string) {
	p.Helper()
	for _, name := range names {
		from := ""
		if p.now != nil {
			from = p.now.Pointer.MetadataLocation
		}
		to, text := p.file(name, from)
		m := p.move(&to)
		p.tell(text, journal.TablesCommitted{Moves: m[:]})
	}
}

// repoint moves the pointer to a file that is there, made from another one.
func (p *past) repoint(name string) {
	p.Helper()
	at := fmt.Sprintf("%s/t/metadata/%s.metadata.json", root, name)
	log := p.logs[at]
	from := ""
	if len(log) > 0 {
		from = log[len(log)-1]
	}
	to, text := p.file(name, from)
	p.tell(text, journal.TableRepointed{Moves: p.move(&to), Reason: "test"})
}

// wantAbandoned writes the sidecar and compares the names of what it says is
// abandoned.
func (p *past) wantAbandoned(names ...string) {
	p.Helper()
	now := p.working(p.files)
	now.Roots = p.roots
	must(p, now.round(ctx, func() {}).err)
	var want []string
	for _, name := range names {
		want = append(want, fmt.Sprintf("%s/t/metadata/%s.metadata.json", root, name))
	}
	o := p.object(p.T, Key(p.table))
	if !slices.Equal(o.Abandoned, want) || o.MetadataLocation != p.now.Pointer.MetadataLocation {
		p.Errorf("at %s abandoned %q, want %q", o.MetadataLocation, o.Abandoned, want)
	}
}

// each way to know what a file was made from: by its file, by the journal, by both.
func eachPast(t *testing.T, test func(p *past)) {
	for name, set := range map[string]func(*past){
		"both": func(*past) {}, "files": func(p *past) { p.kept = false }, "journal": func(p *past) { p.beside = false },
		"short logs": func(p *past) { p.max = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPast(t)
			set(p)
			test(p)
		})
	}
}

// The first file of the line that was left is abandoned, until the next commit.
func TestRepointBackAbandons(t *testing.T) {
	eachPast(t, func(p *past) {
		p.commit("a", "bb", "c", "dd", "e")
		p.wantAbandoned()
		p.repoint("bb")
		p.wantAbandoned("c")
		p.repoint("a")
		p.wantAbandoned("c", "bb")
		p.commit("f")
		p.wantAbandoned()
	})
}

// Going forward abandons nothing, and going back to what was left takes it out of
// the list.
func TestRepointForward(t *testing.T) {
	eachPast(t, func(p *past) {
		p.commit("a", "bb", "c", "dd")
		p.repoint("a")
		p.wantAbandoned("bb")
		p.repoint("dd")
		p.wantAbandoned()
		p.repoint("c")
		p.wantAbandoned("dd")
		p.repoint("dd")
		p.wantAbandoned()
	})
}

// Two lines that part: the first file that is not in common.
func TestRepointToAnotherLine(t *testing.T) {
	eachPast(t, func(p *past) {
		p.commit("a", "bb")
		fork := p.now
		p.commit("c", "dd")
		other, _ := p.file("xx", fork.Pointer.MetadataLocation)
		p.file("y", other.Pointer.MetadataLocation)
		if !p.beside {
			p.beside = true // somebody else made them: they are nowhere but in the warehouse
			p.file("xx", fork.Pointer.MetadataLocation)
		}
		p.repoint("y")
		p.wantAbandoned("c")
		p.repoint("dd")
		p.wantAbandoned("xx")
	})
}

// What nobody can read stands for itself.
func TestAbandonedLineCannotBeRead(t *testing.T) {
	p := newPast(t)
	p.kept, p.beside = false, false
	p.commit("a", "bb", "c")
	p.beside = true
	p.repoint("a")
	p.wantAbandoned("c")
}

// A table that was dropped and is registered at another of its files.
func TestReturnAbandons(t *testing.T) {
	p := newPast(t)
	p.commit("a", "bb", "c")
	gone := p.now
	p.tell(nil, journal.TableDropped{Moves: [1]journal.Move{{Kind: journal.Table, UUID: p.table, From: &journal.From{Identifier: orders, Pointer: gone.Pointer}}}})
	p.wantAbandoned()
	p.now = nil
	to, text := p.file("a", "")
	p.tell(text, journal.TableRegistered{Moves: p.move(&to)})
	p.wantAbandoned("bb")
}

// Logs may say anything.
func TestHostileLogs(t *testing.T) {
	for _, said := range []string{
		"", "null", "[]", `{"metadata-log": 7}`, `{"metadata-log": [7]}`, `{"metadata-log": [{"metadata-file": ""}]}`, "{", "\xff",
		`{"metadata-log": [{"metadata-file": "x", "metadata-file": 7}]}`,
	} {
		if l := (&text{r: strings.NewReader(said), left: 1000}).line("here"); !slices.Equal(l, line{"here"}) {
			t.Errorf("%s: %q", said, l)
		}
	}
	p := newPast(t)
	p.commit("a", "bb")
	circle, _ := p.file("x", root+"/t/metadata/y.metadata.json")
	p.logs[root+"/t/metadata/x.metadata.json"] = nil
	p.file("y", circle.Pointer.MetadataLocation)
	p.repoint("y")
	p.wantAbandoned("a")
}

// A file that the store does not yield this time says nothing: the table is held back,
// and gets the right list later. What cannot be read for good stands for itself.
func TestAbandonedLineIsReadLater(t *testing.T) {
	p := newPast(t)
	p.kept = false
	p.commit("a", "bb", "c")
	left := p.now.Pointer.MetadataLocation
	p.repoint("a")
	broken := true
	now := p.working(p.files)
	now.Roots = warehouse.Roots{{URL: root, Location: p.roots[0].Location, Store: faulty.New(p.files, func(op faulty.Op, key string) faulty.Fault {
		if broken && op == faulty.Get && strings.HasSuffix(key, "/c.metadata.json") {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})}}
	if r := now.round(ctx, func() {}); !errors.Is(r.err, errInjected) || !r.again {
		t.Errorf("%+v", r)
	}
	if o := p.object(t, Key(p.table)); o.MetadataLocation != left || len(o.Abandoned) > 0 {
		t.Errorf("meanwhile at %s, abandoned %q", o.MetadataLocation, o.Abandoned)
	}
	broken = false
	must(t, now.round(ctx, func() {}).err)
	p.wantAbandoned("bb")
}

// However many files are not in the warehouse, the journal is read once.
func TestAbandonedLineIsFoundInOneScan(t *testing.T) {
	p := newPast(t)
	p.beside, p.max = false, 1
	for n := range 20 {
		p.commit(fmt.Sprint("f", n))
	}
	p.repoint("f0")
	now := p.working(p.files)
	scans := &scanned{Reader: now.From}
	now.From, now.Roots = scans, p.roots
	must(t, now.round(ctx, func() {}).err)
	if scans.back != 1 {
		t.Errorf("it was read %d times", scans.back)
	}
	p.wantAbandoned("f1")
}

// A file that inflates to more than is read is not taken for what fits.
func TestAbandonedLineIsNotCut(t *testing.T) {
	p := newPast(t)
	for n := range 10 {
		p.commit(fmt.Sprint("f", n)) // gzip
	}
	p.repoint("f0")
	now := p.working(p.files)
	now.Roots, now.largest = p.roots, 500
	must(t, now.round(ctx, func() {}).err)
	if o := p.object(t, Key(p.table)); len(o.Abandoned) != 1 || !strings.HasSuffix(o.Abandoned[0], "/f1.metadata.json") {
		t.Errorf("abandoned %q", o.Abandoned)
	}
}

// A damaged copy in the journal is as good as none.
func TestAbandonedLineOfADamagedCopy(t *testing.T) {
	p := newPast(t)
	p.commit("a", "bb", "c")
	p.repoint("a")
	now := p.working(p.files)
	now.From, now.Roots = spoilt{now.From}, p.roots
	must(t, now.round(ctx, func() {}).err)
	p.wantAbandoned("bb")
}

// spoilt is a journal of which all documents are damaged.
type spoilt struct{ journal.Reader }

func (spoilt) Document(context.Context, journal.Seq, int) ([]byte, error) {
	return nil, &journal.Damage{Reason: "spoilt"}
}
