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
func (d *document) weight() int64 { return 2*int64(len(d.text)) + 1024 }

// documents keeps those that were used last, by the SHA-256 of their files: a
// digest never means two texts, so nothing here can be stale. Safe for concurrent
// use; the zero value is ready.
type documents struct {
	mu    sync.Mutex
	held  int64                            // guarded by mu: the weight of all
	where map[journal.Digest]*list.Element // guarded by mu
	used  list.List                        // guarded by mu: of *slot, newest first
}

type slot struct {
	digest   journal.Digest
	document *document
}

func (d *documents) find(digest journal.Digest) (*document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.where[digest]
	if !ok {
		return nil, false
	}
	d.used.MoveToFront(at)
	return at.Value.(*slot).document, true
}

// keep takes a document in, and lets go of those that nobody used for longest.
func (d *documents) keep(digest journal.Digest, of *document) {
	if of.weight() > maxDocuments/4 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.where == nil {
		d.where = map[journal.Digest]*list.Element{}
	}
	if at, ok := d.where[digest]; ok {
		d.dropLocked(at)
	}
	d.where[digest] = d.used.PushFront(&slot{digest, of})
	for d.held += of.weight(); d.held > maxDocuments; {
		d.dropLocked(d.used.Back())
	}
}

func (d *documents) dropLocked(at *list.Element) {
	gone := d.used.Remove(at).(*slot)
	d.held -= gone.document.weight()
	delete(d.where, gone.digest)
}
