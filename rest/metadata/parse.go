package metadata

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// topWords are the members of table metadata of any format version. What a
// version requires is checked by it.
var topWords = vocabulary{what: "table metadata",
	required: []string{"format-version"},
	optional: append([]string{"schema", "partition-spec", "next-row-id", "encryption-keys", "properties",
		"current-snapshot-id", "refs", "snapshots", "statistics", "partition-statistics", "snapshot-log",
		"metadata-log"}, requiredInV2...)}

// What files of a format version must have. Version 1 leaves out more than its
// spec says (completeV1).
var (
	requiredInV1 = []string{"location", "last-updated-ms", "last-column-id"}
	requiredInV2 = []string{"table-uuid", "location", "last-sequence-number", "last-updated-ms", "last-column-id",
		"current-schema-id", "schemas", "default-spec-id", "partition-specs", "last-partition-id",
		"default-sort-order-id", "sort-orders"}
	requiredInV3 = append(slices.Clip(requiredInV2), "next-row-id")
)

func required(version int) []string {
	return [...][]string{requiredInV1, requiredInV2, requiredInV3}[version-oldestVersion]
}

// cutFile cuts the whole text of a metadata file, of which nothing may be read in
// two ways.
func cutFile(file []byte, what string) (object, error) {
	if err := checkText(file, what); err != nil {
		return object{}, err
	}
	return cutMembers(newReader(file), what)
}

// Parse reads the inflated bytes of a metadata file strictly. The location is
// kept as it is given. The document holds on to file, which must not be modified
// afterwards. Errors: *Invalid for anything that the Java library would refuse
// to load or that two readers could read differently (cases 9, 11, 14, 19, 21,
// 29). Files of format version 1 may lack a UUID: see HasUUID.
func Parse(file []byte, metadataLocation string) (*Document, error) {
	top, err := cutFile(file, topWords.what)
	if err != nil {
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
	for _, name := range required(d.state.formatVersion) {
		if err := d.need(name); err != nil {
			return err
		}
	}
	if d.state.formatVersion == 1 {
		return d.completeV1()
	}
	return nil
}

// need checks that a member is there.
func (d *Document) need(name string) error {
	if d.top.place(name) < 0 {
		return invalidf("invalid table metadata: missing %s", name)
	}
	return nil
}

// passesOver tells whether a member means nothing in the format version.
func (s *state) passesOver(name string) bool {
	return name == "last-sequence-number" && s.formatVersion < 2 || name == "next-row-id" && s.formatVersion < 3
}

// orNullInV1 reads with read, unless the value is a null of format version 1.
func orNullInV1[T any](s *state, r *reader, read func(*T) error, into *T) error {
	if s.formatVersion == 1 {
		return orNull(r, read, into)
	}
	return read(into)
}

func (s *state) readMember(name string, raw jsontext.Value) error {
	if s.passesOver(name) {
		return nil
	}
	r := newReader(raw)
	switch name {
	case "table-uuid":
		return orNullInV1(s, r, r.uuid, &s.uuid)
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
		return orNullInV1(s, r, r.int, &s.lastPartitionID)
	case "default-sort-order-id":
		return r.int(&s.defaultOrder)
	case "current-snapshot-id":
		err := orNull(r, r.long, &s.current)
		s.current = max(s.current, noSnapshot)
		return err
	case "next-row-id":
		return r.natural(&s.nextRow)
	}
	return s.readList(name, raw)
}

func (s *state) readList(name string, raw jsontext.Value) (err error) {
	switch name {
	case "schemas":
		s.schemas, err = cutArray(raw, name, readStoredSchema)
	case "partition-specs":
		read := readStoredSpec
		if s.formatVersion == 1 {
			read = readSpec // completeV1 has more to say
		}
		s.specs, err = cutArray(raw, name, read)
	case "sort-orders":
		s.orders, err = cutArray(raw, name, readOrder)
	case "properties":
		s.properties, err = cutObject(newReader(raw), name, readProperty)
	case "refs":
		s.refs, err = cutObject(newReader(raw), name, readRef)
	case "snapshots":
		s.snapshots, err = cutArray(raw, name, readStoredSnapshot)
	case "encryption-keys":
		s.keys, err = cutArray(raw, name, readEncryptionKey)
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
