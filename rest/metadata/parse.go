package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

// topWords are the members of table metadata of any format version. What a
// version requires is checked by it.
var topWords = vocabulary{what: "table metadata",
	required: []string{"format-version"},
	optional: append([]string{"schema", "partition-spec", "next-row-id", "encryption-keys", "properties",
		"current-snapshot-id", "refs", "snapshots", "statistics", "partition-statistics", "snapshot-log",
		"metadata-log"}, requiredInV2...)}

var requiredInV2 = []string{"table-uuid", "location", "last-sequence-number", "last-updated-ms", "last-column-id",
	"current-schema-id", "schemas", "default-spec-id", "partition-specs", "last-partition-id",
	"default-sort-order-id", "sort-orders"}

// Parse reads the inflated bytes of a metadata file strictly. The location is
// kept as it is given. The document holds on to file, which must not be modified
// afterwards. Errors: *Invalid for anything that the Java library would refuse
// to load or that two readers could read differently (cases 9, 11, 14, 19, 21,
// 29), *Unsupported for another format version.
func Parse(file []byte, metadataLocation string) (*Document, error) {
	r := strictReader(file)
	top, err := cutMembers(r, topWords.what)
	if err != nil {
		return nil, err
	}
	if err := r.end(topWords.what); err != nil {
		return nil, err
	}
	d := &Document{bytes: file, metadataLocation: metadataLocation, top: top}
	d.state = newState(d.state.uuid)
	if err := d.readVersion(); err != nil {
		return nil, err
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	d.implyMain()
	if err := d.state.checkUnique(); err != nil {
		return nil, err
	}
	return d, d.state.check()
}

// readVersion reads the format version before all else, for it decides how the
// rest is read.
func (d *Document) readVersion() error {
	raw, ok := d.top.get("format-version")
	if !ok {
		return topWords.missing(0)
	}
	if err := newReader(raw).int(&d.state.formatVersion); err != nil {
		return topWords.wrap("format-version", err)
	}
	return checkVersion(d.state.formatVersion)
}

func (d *Document) read() error {
	known := map[string]bool{}
	for _, words := range [][]string{topWords.required, topWords.optional} {
		for _, word := range words {
			known[word] = true
		}
	}
	for i, it := range d.top.items {
		name := it.of.name
		if !known[name] {
			if err := topWords.checkCase(name); err != nil {
				return err
			}
			continue
		}
		if err := d.state.readMember(name, d.top.text(i)[it.of.value:]); err != nil {
			return topWords.wrap(name, err)
		}
	}
	for _, name := range requiredInV2 {
		if d.top.place(name) < 0 {
			return invalidf("invalid table metadata: missing %s", name)
		}
	}
	return nil
}

func (s *state) readMember(name string, raw jsontext.Value) error {
	r := newReader(raw)
	switch name {
	case "table-uuid":
		var text string
		err := r.text(&text)
		if err == nil {
			s.uuid, err = parseUUID(text)
		}
		return err
	case "location":
		return r.text(&s.location)
	case "last-sequence-number":
		return r.natural(&s.lastSequence)
	case "last-updated-ms":
		return r.long(&s.lastUpdated)
	case "last-column-id":
		return r.int(&s.lastColumnID)
	case "current-schema-id":
		return r.int(&s.currentSchema)
	case "default-spec-id":
		return r.int(&s.defaultSpec)
	case "last-partition-id":
		return r.int(&s.lastPartitionID)
	case "default-sort-order-id":
		return r.int(&s.defaultOrder)
	case "current-snapshot-id":
		err := orNull(r, r.long, &s.current)
		s.current = max(s.current, noSnapshot)
		return err
	}
	return s.readList(name, raw)
}

func (s *state) readList(name string, raw jsontext.Value) (err error) {
	switch name {
	case "schemas":
		s.schemas, err = cutArray(raw, name, readSchema)
	case "partition-specs":
		s.specs, err = cutArray(raw, name, readStoredSpec)
	case "sort-orders":
		s.orders, err = cutArray(raw, name, readOrder)
	case "properties":
		s.properties, err = cutObject(newReader(raw), name, readProperty)
	case "refs":
		s.refs, err = cutObject(newReader(raw), name, readRef)
	case "snapshots":
		s.snapshots, err = cutArray(raw, name, readStoredSnapshot)
	case "statistics":
		s.statistics, err = cutArray(raw, name, readStatistics)
	case "partition-statistics":
		s.partitionStatistics, err = cutArray(raw, name, readPartitionStatistics)
	case "snapshot-log":
		s.snapshotLog, err = cutArray(raw, name, readHistoryEntry)
	case "metadata-log":
		s.metadataLog, err = cutArray(raw, name, readPreviousFile)
	}
	return err
}

// implyMain gives files without refs the main branch that their current snapshot
// stands for (case 21). It is written when another reference changes.
func (d *Document) implyMain() {
	s := &d.state
	if s.refs.raw != nil || s.current == noSnapshot {
		return
	}
	main := ref{name: mainBranch, snapshot: s.current}
	s.refs.items = []item[ref]{{of: main, fresh: main.text()}}
}
