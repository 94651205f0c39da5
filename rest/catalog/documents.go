package catalog

import (
	"container/list"
	"sync"
	"sync/atomic"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// maxDocuments bounds what the documents of one catalog may weigh, in bytes; one
// alone may weigh half of it. All memory is to stay below 150 MB with 100,000 tables.
const maxDocuments = 24 << 20

// document is the text of a metadata file that was proven to be what the journal
// recorded, what the store said of the file then, and when it last said so.
type document struct {
	text  []byte
	at    spot
	info  warehouse.Info
	trust trust
	table atomic.Pointer[metadata.Document] // parsed, once somebody did
	shown atomic.Pointer[shownTable]        // as clients get it, once somebody did
}

// weight is about what a document takes in memory, parsed too.
func (d *document) weight() int64 { return 2*int64(len(d.text)) + parsedOverhead }

// What is kept takes about so much beside its bytes, and beside those of its parsed
// parts: a document of 2 KiB takes 13 KiB, one of 10 KiB 30 KiB.
const (
	overhead       = 1 << 10
	parsedOverhead = 9 << 10
)

// form names what can be made of a document and of nothing else; without a name,
// it is the document itself.
type form struct {
	of   journal.Digest // the document's
	name string
}

// documents keeps those that were used last, by the SHA-256 of their files, and
// their forms by that of the documents: a digest never means two texts, so nothing
// here can be stale. Who finds something only marks it, beside others that do; who
// needs room gives what was marked since another turn. Safe for concurrent use; the
// zero value is ready.
type documents struct {
	mu    sync.RWMutex
	held  int64          // guarded by mu: the weight of all
	where map[form]*slot // guarded by mu
	turn  list.List      // guarded by mu: of *slot, those to go first at the back

	hits, misses atomic.Int64 // of documents and forms

	flights flights // of those that are not known
}

type slot struct {
	key      form
	document *document
	bytes    []byte // of a form
	weight   int64
	used     atomic.Bool   // since its turn came
	at       *list.Element // guarded by documents.mu
}

func (d *documents) find(digest journal.Digest) (*document, bool) {
	if s := d.get(form{of: digest}); s != nil {
		return s.document, true
	}
	return nil, false
}

func (d *documents) findForm(f form) ([]byte, bool) {
	if s := d.get(f); s != nil {
		return s.bytes, true
	}
	return nil, false
}

// keep takes a document in.
func (d *documents) keep(digest journal.Digest, of *document) {
	d.put(&slot{key: form{of: digest}, document: of, weight: of.weight()})
}

// keepForm takes the bytes of a form in.
func (d *documents) keepForm(f form, bytes []byte) {
	d.put(&slot{key: f, bytes: bytes, weight: int64(len(bytes)) + overhead})
}

// forget lets go of a document that nobody will ask for.
func (d *documents) forget(digest journal.Digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.where[form{of: digest}]; s != nil {
		d.dropLocked(s)
	}
}

func (d *documents) get(key form) *slot {
	d.mu.RLock()
	s := d.where[key]
	d.mu.RUnlock()
	if s == nil {
		d.misses.Add(1)
		return nil
	}
	d.hits.Add(1)
	if !s.used.Load() {
		s.used.Store(true)
	}
	return s
}

// put lets go of what nobody used for long, to make room.
func (d *documents) put(s *slot) {
	if s.weight > maxDocuments/2 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.where == nil {
		d.where = map[form]*slot{}
	}
	if before := d.where[s.key]; before != nil {
		d.dropLocked(before)
	}
	d.where[s.key], s.at = s, d.turn.PushFront(s)
	for d.held += s.weight; d.held > maxDocuments; {
		last := d.turn.Back().Value.(*slot)
		if last != s && last.used.Swap(false) {
			d.turn.MoveToFront(last.at)
			continue
		}
		d.dropLocked(last)
	}
}

func (d *documents) dropLocked(s *slot) {
	d.turn.Remove(s.at)
	d.held -= s.weight
	delete(d.where, s.key)
}
