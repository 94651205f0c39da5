package verify

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// leftBehind are the files that events name which are in the journal and not in the
// lineage: a recovery has gone back behind them, on purpose. They are gathered once,
// when they are first asked for. Safe for concurrent use.
type leftBehind struct {
	journal journal.Histories
	id      uuid.UUID

	once  sync.Once
	seed  maphash.Seed
	files []leftFile // by hash
	err   error
}

// leftFile is a file by the hash of its path: two of one hash only make a warning a note.
type leftFile struct {
	hash  uint64
	event journal.Position
	asOf  *journal.Position // of the recovery that left it; nil: it began without a history
}

// find tells whether a file, by its path, is one of them.
func (l *leftBehind) find(ctx context.Context, path string) (leftFile, bool, error) {
	l.once.Do(func() { l.err = l.gather(ctx) })
	i, ok := slices.BinarySearchFunc(l.files, maphash.String(l.seed, path), func(f leftFile, hash uint64) int { return cmp.Compare(f.hash, hash) })
	if !ok || l.err != nil {
		return leftFile{}, false, l.err
	}
	return l.files[i], true, nil
}

func (l *leftBehind) gather(ctx context.Context) error {
	l.seed = maphash.MakeSeed()
	all, err := l.journal.Incarnations(ctx, l.id)
	if err != nil {
		return err
	}
	lefts := leaving(all)
	for _, i := range all {
		if i.Current {
			continue
		}
		asOf := lefts[i.ID]
		after := journal.Seq(0)
		if asOf != nil && asOf.Incarnation == i.ID {
			after = asOf.Seq
		}
		for e, err := range l.journal.Incarnation(l.id, i.ID).Scan(ctx, after) {
			if err != nil {
				return err
			}
			for at := range fileNames(e) {
				l.files = append(l.files, leftFile{maphash.String(l.seed, catalog.Path(at)), e.Position, asOf})
			}
		}
	}
	slices.SortFunc(l.files, func(a, b leftFile) int { return cmp.Compare(a.hash, b.hash) })
	return nil
}

// leaving is of every incarnation where the lineage left it, or left the one that it
// comes from: nil for the current one, and for those of which no one knows.
func leaving(all []journal.Incarnation) map[uuid.UUID]*journal.Position {
	of := map[uuid.UUID]journal.Incarnation{}
	at := uuid.Nil
	for _, i := range all {
		of[i.ID] = i
		if i.Current {
			at = i.ID
		}
	}
	lefts := map[uuid.UUID]*journal.Position{}
	for parent := of[at].Parent; parent != nil; parent = of[parent.Incarnation].Parent {
		lefts[parent.Incarnation] = parent
	}
	for _, i := range all { // the earlier ones first
		if _, in := lefts[i.ID]; !in && !i.Current && i.Parent != nil {
			lefts[i.ID] = lefts[i.Parent.Incarnation]
		}
	}
	return lefts
}
