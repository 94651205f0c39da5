package metadata

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// rope is a text in pieces, joined only when the whole document is written, so
// that a long list is copied once.
type rope [][]byte

func (r rope) bytes() []byte { return bytes.Join(r, nil) }

// item is one element of an array or one member of an object.
type item[T any] struct {
	start, end int  // where it stands in the sequence's raw text; 0 when it was appended
	fresh      rope // its text when that is new
	of         T    // what was read from it
}

// sequence is a JSON array or object cut into its items. Changes are made on a
// copy of the items, never on those of another version; rendering copies what
// did not change byte for byte, white space included.
type sequence[T any] struct {
	raw      []byte // as it stands in the document; nil when it is absent
	brackets string // "[]" or "{}"
	items    []item[T]
	changed  bool // items is a copy of its own, and differs from raw
}

func newArray[T any]() sequence[T]  { return sequence[T]{brackets: "[]"} }
func newObject[T any]() sequence[T] { return sequence[T]{brackets: "{}"} }

// cutArray cuts checked text into elements; read reads one from the reader.
func cutArray[T any](raw []byte, what string, read func(*reader) (T, error)) (sequence[T], error) {
	s := sequence[T]{raw: raw, brackets: "[]"}
	r := newReader(raw)
	err := r.array(func() error {
		start := r.start()
		of, err := read(r)
		s.items = append(s.items, item[T]{start: start, end: r.at, of: of})
		return err
	})
	if err != nil {
		return s, vocabulary{what: "table metadata"}.wrap(what, err)
	}
	return s, nil
}

// cutObject cuts an object into members and reads each from its name and value;
// at is where the value begins, counted from the name's opening quote.
func cutObject[T any](r *reader, what string, read func(name string, value jsontext.Value, at int) (T, error)) (sequence[T], error) {
	s := sequence[T]{raw: r.raw, brackets: "{}"}
	if r.kind() != '{' {
		v, err := r.value()
		if err != nil {
			return s, syntax(what, err)
		}
		return s, invalidf("invalid %s: not an object: %s", what, excerpt(v))
	}
	if err := r.bracket(); err != nil {
		return s, syntax(what, err)
	}
	for r.kind() != '}' {
		it, err := cutMember(r, what, read)
		if err != nil {
			return s, err
		}
		s.items = append(s.items, it)
	}
	if err := r.bracket(); err != nil {
		return s, syntax(what, err)
	}
	return s, nil
}

func cutMember[T any](r *reader, what string, read func(string, jsontext.Value, int) (T, error)) (item[T], error) {
	name, plain, err := r.key()
	start := r.at - len(name)
	if err != nil {
		return item[T]{}, syntax(what, err)
	}
	value, err := r.value()
	if err != nil {
		return item[T]{}, syntax(what, err)
	}
	end := r.at
	of, err := read(string(plain), value, end-len(value)-start)
	return item[T]{start: start, end: end, of: of}, err
}

func (s *sequence[T]) own() {
	if s.changed {
		return
	}
	s.items = append(make([]item[T], 0, len(s.items)+4), s.items...)
	s.changed = true
}

func (s *sequence[T]) append(of T, text rope) {
	s.own()
	s.items = append(s.items, item[T]{fresh: text, of: of})
}

func (s *sequence[T]) replace(i int, of T, text rope) {
	s.own()
	s.items[i].of, s.items[i].fresh = of, text
}

// remove drops the items that drop names, and tells whether there were any.
func (s *sequence[T]) remove(drop func(T) bool) bool {
	dropped := func(it item[T]) bool { return drop(it.of) }
	if !slices.ContainsFunc(s.items, dropped) {
		return false
	}
	s.own()
	s.items = slices.DeleteFunc(s.items, dropped)
	return true
}

// dropFirst drops the first n items.
func (s *sequence[T]) dropFirst(n int) {
	if n > 0 {
		s.own()
		s.items = s.items[n:]
	}
}

// index finds the first item that is names, or -1.
func (s *sequence[T]) index(is func(T) bool) int {
	return slices.IndexFunc(s.items, func(it item[T]) bool { return is(it.of) })
}

// find returns what was read from the first item that is names.
func (s *sequence[T]) find(is func(T) bool) (of T, ok bool) {
	if i := s.index(is); i >= 0 {
		return s.items[i].of, true
	}
	return of, false
}

// text returns an item's text.
func (s *sequence[T]) text(i int) []byte {
	if it := s.items[i]; it.fresh == nil {
		return s.raw[it.start:it.end]
	}
	return s.items[i].fresh.bytes()
}

// render returns the text with its changes and settles the items at their new
// positions in it; anchor must follow.
func (s *sequence[T]) render() rope {
	raw := s.raw
	if raw == nil {
		raw = []byte(s.brackets)
	}
	lead, tail := edges(raw)
	w := weave{raw: raw, out: make(rope, 0, fewPieces)}
	w.keep(0, lead)
	s.own()
	for i, end := 0, 0; i < len(s.items); i++ {
		it := &s.items[i]
		if i > 0 {
			w.separate(end, it.start)
		}
		start := w.size
		if it.fresh != nil {
			w.add(it.fresh)
		} else {
			w.keep(it.start, it.end)
		}
		end = it.end
		it.start, it.end, it.fresh = start, w.size, nil
	}
	w.keep(tail, len(raw))
	w.flush()
	s.changed = false
	return w.out
}

// anchor tells the sequence where its text now stands.
func (s *sequence[T]) anchor(raw []byte) { s.raw = raw }

// edges returns the length of the opening bracket with the white space around
// it, and where the last item ends.
func edges(raw []byte) (lead, tail int) {
	const space = " \t\r\n"
	open := len(raw) - len(bytes.TrimLeft(raw, space))
	shut := len(bytes.TrimRight(raw, space)) - 1
	inner := raw[open+1 : shut]
	if len(bytes.Trim(inner, space)) == 0 {
		return open + 1, shut
	}
	lead = shut - len(bytes.TrimLeft(inner, space))
	return lead, open + 1 + len(bytes.TrimRight(inner, space))
}

// fewPieces is what a text with a few changes is made of.
const fewPieces = 8

// weave joins kept spans of a text with new pieces; spans that touch stay one.
type weave struct {
	raw      []byte
	out      rope
	from, to int // the kept span not yet in out
	size     int
}

func (w *weave) keep(start, end int) {
	if start != w.to {
		w.flush()
		w.from = start
	}
	w.to = end
	w.size += end - start
}

func (w *weave) add(text rope) {
	w.flush()
	w.out = append(w.out, text...)
	for _, piece := range text {
		w.size += len(piece)
	}
}

func (w *weave) flush() {
	if w.from < w.to {
		w.out = append(w.out, w.raw[w.from:w.to])
	}
	w.from = w.to
}

// separate puts the comma between two items: the text that stood between them
// when they were neighbours.
func (w *weave) separate(end, start int) {
	if 0 < end && end < start && len(bytes.TrimSpace(w.raw[end:start])) == 1 {
		w.keep(end, start)
		return
	}
	w.add(rope{comma})
}

var comma = []byte{','}
