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
// alone may weigh a quarter of it.
const maxDocuments = 64 << 20

// document is the text of a metadata file that was proven to be what the journal
// recorded, and what the store said of the file then.
type document struct {
	text  []byte
	info  warehouse.Info
	table atomic.Pointer[metadata.Document] // parsed, once somebody did
}

// weight is about what a document takes in memory, parsed too.
func (d *document) weight() int64 { return 2*int64(len(d.text)) + parsedOverhead }

// What is kept takes about so much beside its bytes, and beside those of its parsed
// parts: a document of 700 bytes takes 5 KiB, one of 10 KiB 20 KiB.
const (
	overhead       = 1 << 10
	parsedOverhead = 5 << 10
)

// form names what can be made of a document and of nothing else.
type form struct {
	of   journal.Digest // the document's
	name string
}

// documents keeps those that were used last, by the SHA-256 of their files, and
// their forms by that of the documents: a digest never means two texts, so nothing
// here can be stale. Safe for concurrent use; the zero value is ready.
type documents struct {
	mu    sync.Mutex
	held  int64                 // guarded by mu: the weight of all
	where map[any]*list.Element // guarded by mu: by journal.Digest or form
	used  list.List             // guarded by mu: of *slot, newest first

	hits, misses atomic.Int64 // of documents and forms
}

type slot struct {
	key    any
	value  any // *document, or the bytes of a form
	weight int64
}

func (d *documents) find(digest journal.Digest) (*document, bool) {
	found, ok := d.get(digest).(*document)
	return found, ok
}

func (d *documents) findForm(f form) ([]byte, bool) {
	found, ok := d.get(f).([]byte)
	return found, ok
}

// keep takes a document in.
func (d *documents) keep(digest journal.Digest, of *document) { d.put(digest, of, of.weight()) }

// keepForm takes the bytes of a form in.
func (d *documents) keepForm(f form, bytes []byte) { d.put(f, bytes, int64(len(bytes))+overhead) }

// forget lets go of a document that nobody will ask for.
func (d *documents) forget(digest journal.Digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.where[digest]; ok {
		d.dropLocked(at)
	}
}

func (d *documents) get(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.where[key]
	if !ok {
		d.misses.Add(1)
		return nil
	}
	d.hits.Add(1)
	d.used.MoveToFront(at)
	return at.Value.(*slot).value
}

// put lets go of what nobody used for longest, to make room.
func (d *documents) put(key, value any, weight int64) {
	if weight > maxDocuments/4 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.where == nil {
		d.where = map[any]*list.Element{}
	}
	if at, ok := d.where[key]; ok {
		d.dropLocked(at)
	}
	d.where[key] = d.used.PushFront(&slot{key, value, weight})
	for d.held += weight; d.held > maxDocuments; {
		d.dropLocked(d.used.Back())
	}
}

func (d *documents) dropLocked(at *list.Element) {
	gone := d.used.Remove(at).(*slot)
	d.held -= gone.weight
	delete(d.where, gone.key)
}
