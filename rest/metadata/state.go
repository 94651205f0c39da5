package metadata

import (
	"slices"

	"github.com/google/uuid"
)

// state is the typed index of a document: what commits look at.
type state struct {
	formatVersion   int
	uuid            uuid.UUID
	location        string
	lastSequence    int64
	lastUpdated     int64 // milliseconds
	lastColumnID    int
	currentSchema   int
	defaultSpec     int
	lastPartitionID int
	defaultOrder    int
	current         int64 // snapshot id, or noSnapshot
	nextRow         int64 // next-row-id; 0 before format version 3

	schemas             sequence[schema]
	specs               sequence[partitionSpec]
	orders              sequence[sortOrder]
	properties          sequence[property]
	refs                sequence[ref]
	snapshots           sequence[snapshot]
	keys                sequence[encryptionKey]
	statistics          sequence[statisticsFile]
	partitionStatistics sequence[statisticsFile]
	snapshotLog         sequence[historyEntry]
	metadataLog         sequence[previousFile]

	// owed are members that the text lacks, or has otherwise: the next commit
	// writes them whatever it changes.
	owed []string
}

// owe notes members for the next commit. Other versions do not see it.
func (s *state) owe(members ...string) { s.owed = append(slices.Clip(s.owed), members...) }

// newState is a table before anything is known of it.
func newState(id uuid.UUID) state {
	return state{
		formatVersion:       defaultVersion,
		uuid:                id,
		currentSchema:       noID,
		defaultSpec:         noID,
		lastPartitionID:     partitionsStart,
		defaultOrder:        noID,
		current:             noSnapshot,
		schemas:             newArray[schema](),
		specs:               newArray[partitionSpec](),
		orders:              newArray[sortOrder](),
		properties:          newObject[property](),
		refs:                newObject[ref](),
		snapshots:           newArray[snapshot](),
		keys:                newArray[encryptionKey](),
		statistics:          newArray[statisticsFile](),
		partitionStatistics: newArray[statisticsFile](),
		snapshotLog:         newArray[historyEntry](),
		metadataLog:         newArray[previousFile](),
	}
}

// list is a sequence of any kind.
type list interface {
	render() rope
	anchor(raw []byte)
	isChanged() bool
}

func (s *sequence[T]) isChanged() bool { return s.changed }

// list returns the sequence that a top-level member holds.
func (s *state) list(member string) (list, bool) {
	switch member {
	case "schemas":
		return &s.schemas, true
	case "partition-specs":
		return &s.specs, true
	case "sort-orders":
		return &s.orders, true
	case "properties":
		return &s.properties, true
	case "refs":
		return &s.refs, true
	case "snapshots":
		return &s.snapshots, true
	case "encryption-keys":
		return &s.keys, true
	case "statistics":
		return &s.statistics, true
	case "partition-statistics":
		return &s.partitionStatistics, true
	case "snapshot-log":
		return &s.snapshotLog, true
	case "metadata-log":
		return &s.metadataLog, true
	}
	return nil, false
}

func (s *state) schema(id int) (schema, bool) {
	return s.schemas.find(func(c schema) bool { return c.id == id })
}

func (s *state) spec(id int) (partitionSpec, bool) {
	return s.specs.find(func(c partitionSpec) bool { return c.id == id })
}

func (s *state) order(id int) (sortOrder, bool) {
	return s.orders.find(func(c sortOrder) bool { return c.id == id })
}

func (s *state) snapshot(id int64) (snapshot, bool) {
	return s.snapshots.find(func(c snapshot) bool { return c.id == id })
}

func (s *state) ref(name string) (ref, bool) {
	return s.refs.find(func(c ref) bool { return c.name == name })
}

func (s *state) property(key string) (string, bool) {
	p, ok := s.properties.find(func(c property) bool { return c.key == key })
	return p.value, ok
}

// highestColumn is the highest field id of any schema.
func (s *state) highestColumn() int {
	highest := 0
	for _, it := range s.schemas.items {
		highest = max(highest, it.of.highest)
	}
	return highest
}

// highestPartition is the highest partition field id of any spec.
func (s *state) highestPartition() int {
	highest := partitionsStart
	for _, it := range s.specs.items {
		highest = max(highest, it.of.highest())
	}
	return highest
}
