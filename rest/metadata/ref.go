package metadata

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// mainBranch is the branch that the current snapshot is the head of.
const mainBranch = "main"

// ref is a branch or a tag.
type ref struct {
	name        string
	snapshot    int64
	tag         bool
	keep        int   // min-snapshots-to-keep; 0 when not set, as the next two
	snapshotAge int64 // max-snapshot-age-ms
	refAge      int64 // max-ref-age-ms
}

func (f ref) kind() string {
	if f.tag {
		return "tag"
	}
	return "branch"
}

var refWords = vocabulary{what: "snapshot reference", required: []string{"snapshot-id", "type"},
	optional: []string{"min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"}}

func readRef(name string, raw jsontext.Value, _ int) (ref, error) {
	f := ref{name: name}
	r := newReader(raw)
	err := r.object(refWords, func(member string) error { return r.refMember(&f, member) })
	if err == nil {
		err = f.check()
	}
	return f, err
}

func (r *reader) refMember(f *ref, member string) error {
	switch member {
	case "snapshot-id":
		return r.long(&f.snapshot)
	case "type":
		return r.choice(&f.tag, "branch", "tag")
	case "min-snapshots-to-keep":
		return orNull(r, positive(r.int), &f.keep)
	case "max-snapshot-age-ms":
		return orNull(r, positive(r.long), &f.snapshotAge)
	default:
		return orNull(r, positive(r.long), &f.refAge)
	}
}

// positive narrows a reader of numbers to those above zero.
func positive[N int | int64](read func(*N) error) func(*N) error {
	return func(into *N) error {
		err := read(into)
		if err == nil && *into <= 0 {
			err = errors.New("must be greater than 0")
		}
		return err
	}
}

// check finds what a reference may not be; that its snapshot exists is checked
// with the document.
func (f ref) check() error {
	if f.tag && f.name == mainBranch {
		return invalidf("Cannot set main to a tag: main must be a branch")
	}
	if f.tag && f.keep != 0 {
		return invalidf("Tags do not support setting min-snapshots-to-keep: %s", f.name)
	}
	if f.tag && f.snapshotAge != 0 {
		return invalidf("Tags do not support setting max-snapshot-age-ms: %s", f.name)
	}
	return nil
}

// edits turn the text of another reference into this one's. Retention that is
// not set is cleared.
func (f ref) edits() []edit {
	return []edit{
		{"snapshot-id", strconv.AppendInt(nil, f.snapshot, 10)},
		{"type", quote(f.kind())},
		optionalNumber("min-snapshots-to-keep", int64(f.keep)),
		optionalNumber("max-snapshot-age-ms", f.snapshotAge),
		optionalNumber("max-ref-age-ms", f.refAge),
	}
}

func optionalNumber(name string, n int64) edit {
	if n == 0 {
		return edit{name: name}
	}
	return edit{name, strconv.AppendInt(nil, n, 10)}
}

// text is the member of refs for a reference that was not there before.
func (f ref) text() rope {
	body := []byte(`{}`)
	o, _ := cutMembers(newReader(body), refWords.what)
	for _, e := range f.edits() {
		if e.value != nil {
			o.set(e.name, rope{e.value})
		}
	}
	return append(rope{memberKey(f.name)}, o.render()...)
}
