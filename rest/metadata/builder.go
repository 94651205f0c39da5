package metadata

import (
	"time"

	"github.com/google/uuid"
)

// builder is a document in the making: the state of its base with updates
// applied in order. The base is never changed.
type builder struct {
	state
	base    *Document // nil when the table is being created
	at      int64     // now, in milliseconds
	changed bool

	// What this request did so far. The last ids are those that add-schema,
	// add-spec and add-sort-order resolved to: what -1 stands for.
	lastSchema, lastSpec, lastOrder int
	added                           map[int64]int64 // snapshots and their times; nil: none
	becameMain                      []int64         // added snapshots that main pointed at
	removedSnapshots                bool

	lookups int            // how many snapshots were looked up
	known   map[int64]bool // the ids of all snapshots, once there were many look-ups
}

// newBuilder starts a new version of base, or of nothing when base is nil.
func newBuilder(base *Document, id uuid.UUID, at time.Time) *builder {
	b := &builder{
		base:       base,
		at:         at.UnixMilli(),
		lastSchema: noID,
		lastSpec:   noID,
		lastOrder:  noID,
	}
	if base == nil {
		b.state = newState(id)
	} else {
		b.state = base.state
	}
	return b
}

// fewLookups is how many snapshots are looked up by going through the list; an
// index pays off for more.
const fewLookups = 8

// hasSnapshot tells whether a snapshot is there.
func (b *builder) hasSnapshot(id int64) bool {
	if b.lookups++; b.lookups <= fewLookups {
		_, ok := b.snapshot(id)
		return ok
	}
	if b.known == nil {
		b.known = make(map[int64]bool, len(b.snapshots.items))
		for i := range b.snapshots.items {
			b.known[b.snapshots.items[i].of.id] = true
		}
	}
	return b.known[id]
}

// boundSchema is what specs and sort orders bind to: the current schema or, in a
// new table where none is set yet, the one that was added last (DuckDB makes its
// schema the current one with its last update).
func (b *builder) boundSchema() (schema, bool) {
	id := b.currentSchema
	if id == noID {
		id = b.lastSchema
	}
	return b.schema(id)
}

// apply makes updates in order, up to the first that is refused.
func (b *builder) apply(updates []Update) error {
	for _, u := range updates {
		if err := u.apply(b); err != nil {
			return err
		}
	}
	return nil
}

// build finishes the bookkeeping of the new version, checks it and writes it.
func (b *builder) build(fresh uuid.UUID) (*Document, error) {
	version := int64(0)
	if b.base != nil {
		version = nextVersion(b.base.metadataLocation)
		b.logPrevious()
	}
	b.cleanHistory()
	b.lastColumnID = max(b.lastColumnID, b.highestColumn())
	b.lastPartitionID = max(b.lastPartitionID, b.highestPartition())
	if b.uuid == uuid.Nil {
		return nil, invalidf("Cannot commit to a table without a UUID")
	}
	history, previous := b.lastTimes()
	b.lastUpdated = notBefore(notBefore(b.at, history), previous)
	if err := b.check(); err != nil {
		return nil, err
	}
	next := b.write(fileName(b.metadataFolder(), version, fresh, b.compresses()))
	next.state.owed = nil
	return next, nil
}
