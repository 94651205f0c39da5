package metadata

import "slices"

// check finds what makes a document one that the Java library refuses to load:
// the constructor checks of its TableMetadata.
func (s *state) check() error {
	if s.location == "" {
		return invalidf("invalid table metadata: empty location")
	}
	for _, check := range []func() error{s.checkCurrent, s.checkSources, s.checkSnapshots, s.checkRefs, s.checkLogs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkCurrent checks that current and default ids name something, and that the
// default spec and order fit the current schema.
func (s *state) checkCurrent() error {
	schema, ok := s.schema(s.currentSchema)
	if !ok {
		return invalidf("Cannot find schema with current-schema-id=%d from schemas", s.currentSchema)
	}
	spec, ok := s.spec(s.defaultSpec)
	if !ok {
		return invalidf("Cannot find partition spec with default-spec-id=%d from partition-specs", s.defaultSpec)
	}
	order, ok := s.order(s.defaultOrder)
	if !ok {
		return invalidf("Cannot find sort order with default-sort-order-id=%d from sort-orders", s.defaultOrder)
	}
	if err := spec.fits(schema); err != nil {
		return err
	}
	return order.fits(schema)
}

// checkSources checks that before format version 3 every partition and sort field
// has a source-id: transforms with more arguments came with it.
func (s *state) checkSources() error {
	if s.formatVersion >= 3 {
		return nil
	}
	for _, it := range s.specs.items {
		if slices.ContainsFunc(it.of.fields, func(f partitionField) bool { return f.noSource }) {
			return invalidf("invalid partition spec %d: missing source-id, which v%d requires", it.of.id, s.formatVersion)
		}
	}
	for _, it := range s.orders.items {
		if slices.ContainsFunc(it.of.fields, func(f sortField) bool { return f.noSource }) {
			return invalidf("invalid sort order %d: missing source-id, which v%d requires", it.of.id, s.formatVersion)
		}
	}
	return nil
}

func (s *state) checkSnapshots() error {
	found := s.current == noSnapshot
	for i := range s.snapshots.items {
		snapshot := &s.snapshots.items[i].of
		found = found || snapshot.id == s.current
		if snapshot.sequence > s.lastSequence {
			return invalidf("Invalid snapshot with sequence number %d greater than last sequence number %d",
				snapshot.sequence, s.lastSequence)
		}
	}
	if !found {
		return invalidf("Invalid table metadata: Cannot find current version: snapshot %d", s.current)
	}
	return nil
}

// checkRefs checks that references point at snapshots and that main, where it is
// set, is the current one (case 21).
func (s *state) checkRefs() error {
	there := make(map[int64]bool, len(s.refs.items))
	for _, it := range s.refs.items {
		there[it.of.snapshot] = false
	}
	for i := range s.snapshots.items {
		id := s.snapshots.items[i].of.id
		if _, ok := there[id]; ok {
			there[id] = true
		}
	}
	for _, it := range s.refs.items {
		if !there[it.of.snapshot] {
			return invalidf("Snapshot %d for reference %s does not exist in the existing snapshots list", it.of.snapshot, it.of.name)
		}
		if it.of.name == mainBranch && it.of.snapshot != s.current {
			return invalidf("Current snapshot ID does not match main branch (%d != %d)", s.current, it.of.snapshot)
		}
	}
	return nil
}

// checkLogs checks that times in logs run forwards, give or take the tolerance.
func (s *state) checkLogs() error {
	var last historyEntry
	for i, it := range s.snapshotLog.items {
		if i > 0 && it.of.at < last.at-clockTolerance {
			return invalidf("Expected sorted snapshot log entries: %d before %d", it.of.at, last.at)
		}
		last = it.of
	}
	var previous previousFile
	for i, it := range s.metadataLog.items {
		if i > 0 && it.of.at < previous.at-clockTolerance {
			return invalidf("Expected sorted metadata log entries: %d before %d", it.of.at, previous.at)
		}
		previous = it.of
	}
	if s.lastUpdated < last.at-clockTolerance {
		return invalidf("Invalid update timestamp %d: before last snapshot log entry at %d", s.lastUpdated, last.at)
	}
	if s.lastUpdated < previous.at-clockTolerance {
		return invalidf("Invalid update timestamp %d: before the latest metadata log entry at %d", s.lastUpdated, previous.at)
	}
	return nil
}

// checkUnique checks ids of files; those that commits assign are unique.
func (s *state) checkUnique() error {
	if id, ok := repeated(s.schemas, func(c schema) int { return c.id }); ok {
		return invalidf("invalid table metadata: more than one schema with id %d", id)
	}
	if id, ok := repeated(s.specs, func(c partitionSpec) int { return c.id }); ok {
		return invalidf("invalid table metadata: more than one partition spec with id %d", id)
	}
	if id, ok := repeated(s.orders, func(c sortOrder) int { return c.id }); ok {
		return invalidf("invalid table metadata: more than one sort order with id %d", id)
	}
	if id, ok := repeated(s.snapshots, func(c snapshot) int64 { return c.id }); ok {
		return invalidf("invalid table metadata: more than one snapshot with id %d", id)
	}
	return nil
}

func repeated[T any, ID comparable](s sequence[T], id func(T) ID) (ID, bool) {
	seen := make(map[ID]bool, len(s.items))
	for i := range s.items {
		this := id(s.items[i].of)
		if seen[this] {
			return this, true
		}
		seen[this] = true
	}
	var none ID
	return none, false
}
