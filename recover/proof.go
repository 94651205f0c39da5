package recover

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Proof is which metadata files the events of a history made current. It keeps a
// checksum of each, not its name: some ten bytes an event. Safe for concurrent use.
type Proof struct {
	from journal.Reader
	seed maphash.Seed

	mu    sync.Mutex
	named *named // guarded by mu; nil: not read yet
}

// named is what events name.
type named struct {
	objects map[uuid.UUID]bool
	files   []uint64 // their sums, ascending once all are there
}

// NewProof reads a history once, when it is first asked.
func NewProof(from journal.Reader) *Proof {
	return &Proof{from: from, seed: maphash.MakeSeed()}
}

// Reader is the history. Whoever scans all of it from the beginning spares the proof to
// read it.
func (p *Proof) Reader() journal.Reader { return proving{p.from, p} }

// Committed implements Evidences.Proven.
func (p *Proof) Committed(ctx context.Context, object uuid.UUID) (committed func(warehouse.Location) bool, known bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.named == nil {
		all := newNamed()
		for e, err := range p.from.Scan(ctx, 0) {
			if err != nil {
				return nil, false, err
			}
			p.take(all, e)
		}
		slices.Sort(all.files)
		p.named = all
	}
	files := p.named.files
	return func(at warehouse.Location) bool {
		_, found := slices.BinarySearch(files, p.sum(object, at))
		return found
	}, p.named.objects[object], nil
}

func newNamed() *named { return &named{objects: map[uuid.UUID]bool{}} }

func (p *Proof) take(into *named, e journal.Event) {
	for _, m := range e.Moves() {
		if m.To == nil {
			continue
		}
		into.objects[m.UUID] = true
		if at, err := warehouse.ParseLocation(m.To.Pointer.MetadataLocation); err == nil {
			into.files = append(into.files, p.sum(m.UUID, at))
		}
	}
}

// sum stands for a file of an object. Two of them have the same one as good as never, and
// nobody can make them.
func (p *Proof) sum(object uuid.UUID, at warehouse.Location) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	h.Write(object[:])
	h.WriteString(at.Path())
	return h.Sum64()
}

func (p *Proof) know(all *named) {
	slices.Sort(all.files)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = all
}

// proving is a history whose reading is watched.
type proving struct {
	journal.Reader
	proof *Proof
}

// Scan has the proof learn what goes by, once all has.
func (w proving) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	if after != 0 {
		return w.Reader.Scan(ctx, after)
	}
	return func(yield func(journal.Event, error) bool) {
		all := newNamed()
		for e, err := range w.Reader.Scan(ctx, 0) {
			if err == nil {
				w.proof.take(all, e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		w.proof.know(all)
	}
}
