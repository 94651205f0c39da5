package metadata

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// member is what is kept of an object's member: its name, and where its value
// begins counted from the name's opening quote.
type member struct {
	name  string
	value int
}

// object is a JSON object whose members are exchanged without touching others.
type object struct{ sequence[member] }

func cutMembers(r *reader, what string) (object, error) {
	s, err := cutObject(r, what, func(name string, _ jsontext.Value, at int) (member, error) {
		return member{name, at}, nil
	})
	return object{s}, err
}

func (o *object) place(name string) int {
	return o.index(func(m member) bool { return m.name == name })
}

// get returns a member's value as it stands in the text.
func (o *object) get(name string) (jsontext.Value, bool) {
	i := o.place(name)
	if i < 0 {
		return nil, false
	}
	return o.text(i)[o.items[i].of.value:], true
}

// set exchanges a member's value, or adds the member at the end.
func (o *object) set(name string, value rope) {
	i := o.place(name)
	if i < 0 {
		key := memberKey(name)
		o.append(member{name, len(key)}, slices.Concat(rope{key}, value))
		return
	}
	it := o.items[i]
	text := append(make(rope, 0, 1+len(value)), o.text(i)[:it.of.value])
	o.replace(i, it.of, append(text, value...))
}

func (o *object) drop(name string) {
	o.remove(func(m member) bool { return m.name == name })
}

// edit is a change of one member: to a value, or away when the value is nil.
type edit struct {
	name  string
	value jsontext.Value
}

func integer(name string, n int) edit {
	return edit{name, strconv.AppendInt(nil, int64(n), 10)}
}

// edited returns a checked object's text with edits made.
func edited(raw jsontext.Value, edits ...edit) (jsontext.Value, error) {
	o, err := cutMembers(newReader(raw), "object")
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		if e.value == nil {
			o.drop(e.name)
		} else {
			o.set(e.name, rope{e.value})
		}
	}
	return o.render().bytes(), nil
}

// memberKey is a member's quoted name with its colon. Names that are not valid
// UTF-8 never get here: texts are checked when they are read.
func memberKey(name string) []byte {
	return append(quote(name), ':')
}

func quote(text string) []byte { return appendQuoted(nil, text) }

func appendQuoted(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}
