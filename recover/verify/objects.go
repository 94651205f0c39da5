package verify

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// maxMoves bounds how often an object is looked at again because its pointer moved
// meanwhile.
const maxMoves = 100

// objects is levels 3 and 4, one live object after another, some at once.
func (r *run) objects(ctx context.Context) error {
	live := slices.DeleteFunc(slices.Clone(r.live), func(o projections.Object) bool { return !r.sampled(o.UUID) })
	l := r.looks()
	waiting := make(chan projections.Object)
	var group sync.WaitGroup
	for range r.Files {
		group.Go(func() {
			for o := range waiting {
				l.look(ctx, o)
				l.tell(func() { r.sink.Progress(r.Name, 3, r.summary.Objects, int64(len(live))) })
			}
		})
	}
	for _, o := range live {
		if ctx.Err() != nil {
			break
		}
		waiting <- o
	}
	close(waiting)
	group.Wait()
	return ctx.Err()
}

// reader answers what is true now, as well as it is known.
func (r *run) reader() projections.Reader {
	switch {
	case r.Now != nil:
		return r.Now
	case r.state != nil:
		return r.state
	case r.Tables != nil:
		return r.Tables.Warehouse(r.ID)
	}
	return projections.NewState(r.ID)
}

// sampled tells whether an object is in the sample.
func (r *run) sampled(id uuid.UUID) bool {
	if r.Sample <= 0 || r.Sample >= 1 {
		return true
	}
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(nil, r.Seed))
	h.Write(id[:])
	return float64(mix(h.Sum64())>>11)/(1<<53) < r.Sample
}

// mix spreads the bits of a hash.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// looks are the looks at the objects of a run.
type looks struct {
	*run
	files *catalog.Catalog // reads the folders of tables

	mu sync.Mutex // held where the run's summary changes and its sink is told
}

func (r *run) looks() *looks {
	return &looks{run: r, files: catalog.New(catalog.Options{ID: r.ID, Roots: r.Roots, Journal: r.from, Reader: r.reader()})}
}

// tell does what one goroutine at a time may do.
func (l *looks) tell(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

// seen is what one look at an object saw.
type seen struct {
	findings []Finding
	unseen   []Unseen
	files    int64
	bytes    int64
	broken   bool // the file is missing or changed
}

func (s *seen) clean() bool { return len(s.findings)+len(s.unseen) == 0 }

// find adds a finding.
func (s *seen) find(level int, o projections.Object, f Finding) {
	f.Level = level
	s.findings = append(s.findings, f.of(o))
}

// look looks at an object until it either is as it should be, or is not and has not
// moved meanwhile.
func (l *looks) look(ctx context.Context, o projections.Object) {
	for range maxMoves {
		saw := l.once(ctx, o)
		if ctx.Err() != nil {
			return
		}
		if saw.clean() || l.Now == nil {
			l.took(saw, o)
			return
		}
		now, live, err := l.now(ctx, o)
		switch {
		case err != nil:
			l.tell(func() { l.run.unseen(o.Identifier.Quoted(), err) })
			return
		case !live:
			l.took(&seen{}, o)
			return
		case now.Pointer == o.Pointer:
			l.took(saw, o)
			return
		}
		o = now
	}
	l.tell(func() {
		l.sink.Unseen(Unseen{l.Name, o.Identifier.Quoted(), "it moved on each time that it was looked at"})
	})
}

// took counts what was seen of an object, and tells what is wrong with it.
func (l *looks) took(s *seen, o projections.Object) {
	l.tell(func() {
		if s.broken {
			l.mendable = append(l.mendable, o)
		}
		l.summary.Objects++
		l.summary.Files += s.files
		l.summary.Bytes += s.bytes
		for _, f := range s.findings {
			f.Warehouse = l.Name
			l.sink.Found(f)
		}
		for _, u := range s.unseen {
			u.Warehouse = l.Name
			l.sink.Unseen(u)
		}
	})
}

// now is where an object is at this moment.
func (l *looks) now(ctx context.Context, o projections.Object) (projections.Object, bool, error) {
	last, ok, err := l.Now.LastStep(ctx, o.UUID)
	if err != nil || !ok || last.Move.To == nil {
		return o, false, err
	}
	to := last.Move.To
	return projections.Object{Kind: o.Kind, UUID: o.UUID, Identifier: to.Identifier, Pointer: to.Pointer, Location: to.Location}, true, nil
}

// steps are the moves of an object, as they are known now.
func (l *looks) steps(ctx context.Context, id uuid.UUID) ([]projections.Step, error) {
	return l.reader().Steps(ctx, id)
}

// once looks at an object: its file, and at level 4 what the file says.
func (l *looks) once(ctx context.Context, o projections.Object) *seen {
	s := &seen{}
	text, ok := l.file(ctx, o, s)
	if l.Level < 4 {
		return s
	}
	if ok {
		l.belongs(o, text, s)
	}
	if o.Kind == journal.Table {
		l.beside(ctx, o, s)
	}
	return s
}
