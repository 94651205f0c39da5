package metadata

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// noSnapshot is how files up to format version 2 spell "no current snapshot".
const noSnapshot = -1

// snapshot is what is read of one snapshot.
type snapshot struct {
	id        int64
	sequence  int64 // 0 when not given
	timestamp int64
	hasParent bool
}

var snapshotWords = vocabulary{what: "snapshot", required: []string{"snapshot-id", "timestamp-ms"},
	optional: []string{"sequence-number", "parent-snapshot-id", "summary", "manifest-list", "schema-id", "manifests",
		"first-row-id", "added-rows", "key-id"}}

// readStoredSnapshot reads a snapshot of a file. An explicit null as parent is
// refused, as by the Java library (case 8).
func readStoredSnapshot(raw jsontext.Value) (snapshot, error) {
	s, shape, err := readSnapshot(raw)
	switch {
	case err != nil:
		return s, err
	case shape.nullParent:
		return s, invalidf("invalid snapshot: parent-snapshot-id: must be a whole 64-bit number: null")
	case !shape.manifestList && !shape.manifests:
		return s, invalidf("invalid snapshot: missing manifest-list")
	}
	return s, nil
}

// snapshotShape is what matters of a snapshot's text beside its values.
type snapshotShape struct {
	nullParent, manifestList, manifests bool
	summary                             summaryShape
}

type summaryShape struct {
	text             jsontext.Value // nil when not given
	empty, operation bool
}

func readSnapshot(raw jsontext.Value) (s snapshot, shape snapshotShape, err error) {
	r := newReader(raw)
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
			shape.manifestList = true
			return r.text(new(string))
		case "manifests":
			shape.manifests = true
			return r.array(func() error { return r.text(new(string)) })
		case "schema-id":
			return orNull(r, r.int, new(int))
		case "key-id":
			return orNull(r, r.text, new(string))
		default:
			return orNull(r, r.natural, &unread)
		}
	})
	return s, shape, err
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
	v, err := r.value()
	shape := summaryShape{text: v, empty: true}
	if err != nil {
		return shape, err
	}
	_, err = cutObject(newReader(v), "snapshot summary", func(name string, value jsontext.Value, _ int) (struct{}, error) {
		shape.empty = false
		shape.operation = shape.operation || name == "operation"
		if value.Kind() != '"' {
			return struct{}{}, invalidf("invalid snapshot summary: %s: must be a string: %s", name, excerpt(value))
		}
		return struct{}{}, nil
	})
	return shape, err
}
