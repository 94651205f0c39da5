package verify

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// maxMoves bounds how often an object is looked at again because its pointer moved
// meanwhile.
const maxMoves = 100

// objects is levels 3 and 4: the live objects by uuid, some at once, told one after
// another.
func (r *run) objects(ctx context.Context) error {
	todo, all, err := r.toLook(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := r.looks()
	waiting, order := make(chan look), make(chan look, 4*r.Files)
	var group sync.WaitGroup
	for range r.Files {
		group.Go(func() {
			for one := range waiting {
				one.saw <- l.look(ctx, one.id)
			}
		})
	}
	group.Go(func() {
		defer close(waiting)
		defer close(order)
		for _, one := range todo {
			one.saw = make(chan *seen, 1)
			for _, to := range []chan look{order, waiting} {
				select {
				case to <- one:
				case <-ctx.Done():
					return
				}
			}
		}
	})
	defer group.Wait()
	defer stop()
	for one := range order {
		select {
		case saw := <-one.saw:
			if ctx.Err() == nil {
				r.took(one, saw)
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.sink.Progress(r.Name, 3, r.reached.Objects.Count, all)
		r.tell()
	}
	return ctx.Err()
}

// look is an object that is to be looked at.
type look struct {
	id    uuid.UUID
	again bool // it was counted before
	saw   chan *seen
}

// took tells what was seen of an object.
func (r *run) took(one look, saw *seen) {
	now := r.reached.Objects
	if one.again {
		now.Unseen = slices.DeleteFunc(now.Unseen, func(id uuid.UUID) bool { return id == one.id })
	} else {
		now.Count++
		now.Through = one.id
	}
	now.Files += saw.files
	now.Bytes += saw.bytes
	now.Young.add(saw.young)
	r.counted()
	if saw.broken {
		r.mendable = append(r.mendable, saw.object)
		now.Broken = append(now.Broken, one.id)
	}
	for _, f := range saw.findings {
		f.Warehouse = r.Name
		r.sink.Found(f)
		now.Findings = append(now.Findings, f)
	}
	for _, u := range saw.unseen {
		u.Warehouse = r.Name
		r.sink.Unseen(u)
	}
	if len(saw.unseen) > 0 {
		now.Unseen = append(now.Unseen, one.id)
	}
}

// counted tells the summary how many were looked at.
func (r *run) counted() {
	now := r.reached.Objects
	r.summary.Objects, r.summary.Files, r.summary.Bytes = now.Count, now.Files, now.Bytes
	r.summary.TooYoung, r.summary.LookAgain = 0, time.Time{}
	r.passedOver(now.Young)
}

// reader answers what is true now, as well as it is known.
func (r *run) reader() projections.Reader {
	switch {
	case r.Now != nil:
		return r.Now
	case r.source != nil:
		return r.source
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
	files  *catalog.Catalog // reads the folders of tables
	behind *leftBehind
	large  sync.Mutex // held while a large file is looked at, so that there is one in memory
}

func (r *run) looks() *looks {
	return &looks{run: r, behind: &leftBehind{journal: r.Journal, id: r.ID}, files: catalog.New(catalog.Options{ID: r.ID, Roots: r.Roots, Externals: r.Externals, Journal: r.lineage(), Reader: r.reader()})}
}

// seen is what one look at an object saw.
type seen struct {
	object   projections.Object
	findings []Finding
	unseen   []Unseen
	files    int64
	bytes    int64
	broken   bool // the file is missing or changed
	young    young
}

func (s *seen) clean() bool { return len(s.findings)+len(s.unseen) == 0 }

// find adds a finding.
func (s *seen) find(level int, o projections.Object, f Finding) {
	f.Level = level
	s.findings = append(s.findings, f.of(o))
}

// unread is what was seen of an object that could not be looked at.
func unread(place, message string) *seen {
	return &seen{unseen: []Unseen{{Place: place, Message: message}}}
}

// look looks at an object until it either is as it should be, or is not and has not
// moved meanwhile.
func (l *looks) look(ctx context.Context, id uuid.UUID) *seen {
	o, live, err := standing(ctx, l.source, id)
	for range maxMoves {
		switch {
		case err != nil:
			return unread(id.String(), err.Error())
		case !live:
			return &seen{}
		}
		saw := l.once(ctx, o)
		if saw.clean() || l.Now == nil {
			return saw
		}
		now, there, err := standing(ctx, l.Now, id)
		switch {
		case err != nil:
			return unread(o.Identifier.Quoted(), err.Error())
		case there && now.Pointer == o.Pointer:
			return saw
		}
		o, live = now, there
	}
	return unread(o.Identifier.Quoted(), "it moved on each time that it was looked at")
}

// steps are the moves of an object, as they are known now.
func (l *looks) steps(ctx context.Context, id uuid.UUID) ([]projections.Step, error) {
	return l.reader().Steps(ctx, id)
}

// once looks at an object: its file, and at level 4 what the file says.
func (l *looks) once(ctx context.Context, o projections.Object) *seen {
	if o.Pointer.Size > metadata.LargeFile(o.Pointer.Encoding == journal.EncodingGzip) {
		l.large.Lock()
		defer l.large.Unlock()
	}
	s := &seen{object: o}
	text, ok := l.file(ctx, o, s)
	if l.Level < 4 {
		return s
	}
	if ok {
		l.belongs(o, text, s)
	}
	if o.Kind == journal.Table && l.external(o) == "" { // others go on writing there
		l.beside(ctx, o, s)
	}
	return s
}
