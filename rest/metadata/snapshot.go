package metadata

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// noSnapshot is how files up to format version 2 spell "no current snapshot".
const noSnapshot = -1

// snapshot is what is read of one snapshot.
type snapshot struct {
	id        int64
	sequence  int64 // 0 when not given
	timestamp int64
	firstRow  int64
	addedRows int64
	hasParent bool
	hasRows   bool // first-row-id and added-rows are given
	hasList   bool // manifest-list is given; if not, manifests is
}

var snapshotWords = vocabulary{what: "snapshot", required: []string{"snapshot-id", "timestamp-ms"},
	optional: []string{"sequence-number", "parent-snapshot-id", "summary", "manifest-list", "schema-id", "manifests",
		"first-row-id", "added-rows", "key-id"}}

// readStoredSnapshot reads a snapshot of a file. An explicit null as parent is
// refused, as by the Java library (case 8).
func readStoredSnapshot(r *reader) (snapshot, error) {
	s, shape, err := readSnapshot(r)
	if err == nil && shape.nullParent {
		err = invalidf("invalid snapshot: parent-snapshot-id: must be a whole 64-bit number: null")
	}
	return s, err
}

// snapshotShape is what matters of a snapshot's text beside its values.
type snapshotShape struct {
	nullParent, manifests, firstRow, addedRows bool
	summary                                    summaryShape
}

type summaryShape struct {
	text             jsontext.Value // nil when not given
	empty, operation bool
}

func readSnapshot(r *reader) (s snapshot, shape snapshotShape, err error) {
	var unread int64
	err = r.object(snapshotWords, func(name string) (err error) {
		switch name {
		case "snapshot-id":
			return r.long(&s.id)
		case "timestamp-ms":
			return r.long(&s.timestamp)
		case "sequence-number":
			return r.natural(&s.sequence)
		case "parent-snapshot-id":
			if shape.nullParent, err = r.null(); shape.nullParent || err != nil {
				return err
			}
			s.hasParent = true
			return r.long(&unread)
		case "summary":
			shape.summary, err = r.summary()
			return err
		case "manifest-list":
			s.hasList = true
			return r.text(new(string))
		case "manifests":
			shape.manifests = true
			return r.array(func() error { return r.text(new(string)) })
		case "schema-id":
			return orNull(r, r.int, new(int))
		case "key-id":
			return orNull(r, r.text, new(string))
		case "first-row-id":
			shape.firstRow = r.kind() != 'n'
			return orNull(r, r.natural, &s.firstRow)
		default:
			shape.addedRows = r.kind() != 'n'
			return orNull(r, r.natural, &s.addedRows)
		}
	})
	s.hasRows = shape.firstRow && shape.addedRows
	if err == nil {
		err = shape.check(s)
	}
	return s, shape, err
}

// check finds members that are missing beside others.
func (shape snapshotShape) check(s snapshot) error {
	if !s.hasList && !shape.manifests {
		return invalidf("invalid snapshot: missing manifest-list")
	}
	if shape.firstRow && !shape.addedRows {
		return invalidf("Invalid added-rows (required when first-row-id is set): null")
	}
	return nil
}

// natural reads a whole number that is not negative.
func (r *reader) natural(into *int64) error {
	err := r.long(into)
	if err == nil && *into < 0 {
		err = errors.New("must not be negative")
	}
	return err
}

// summary checks that a summary maps names to strings (case 13).
func (r *reader) summary() (summaryShape, error) {
	shape := summaryShape{empty: true}
	start := r.start()
	err := r.texts(func(name []byte) {
		shape.empty = false
		shape.operation = shape.operation || string(name) == "operation"
	})
	shape.text = r.raw[start:r.at]
	return shape, err
}

// texts reads an object whose values are all strings, of any names.
func (r *reader) texts(visit func(name []byte)) error {
	if r.kind() != '{' {
		return r.unexpected("an object")
	}
	if err := r.bracket(); err != nil {
		return err
	}
	for r.kind() != '}' {
		raw, name, err := r.key()
		if err != nil {
			return err
		}
		if r.kind() != '"' {
			return fmt.Errorf("%s %w", excerpt(raw), r.unexpected("a string"))
		}
		if err := r.skip(); err != nil {
			return err
		}
		visit(name)
	}
	return r.bracket()
}
