package journal

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/google/uuid"
)

// writer writes the canonical form (see record) into out, from front to back: what
// is written calls it in the order of the fields.
type writer struct {
	out     []byte
	invalid bool // a string is not valid UTF-8: nothing of out may be used
}

// scratch is where records are written before their length is known.
var scratch = sync.Pool{New: func() any { return &writer{out: make([]byte, 0, 4<<10)} }}

// maxScratch is what is not held on to for the next record.
const maxScratch = 64 << 10

// written is what write writes, in memory of its own; ok is false when a string is
// not valid UTF-8.
func written(write func(*writer)) (data []byte, ok bool) {
	w := scratch.Get().(*writer)
	w.out, w.invalid = w.out[:0], false
	write(w)
	if ok = !w.invalid; ok {
		data = slices.Clone(w.out)
	}
	if cap(w.out) <= maxScratch {
		scratch.Put(w)
	}
	return data, ok
}

// raw writes what is canonical already.
func (w *writer) raw(text string) { w.out = append(w.out, text...) }

// text writes a string. Most need no escapes.
func (w *writer) text(s string) {
	w.out = append(w.out, '"')
	plain, all := 0, byte(0)
	for i := range len(s) {
		c := s[i]
		all |= c
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		w.out = append(w.out, s[plain:i]...)
		w.escape(c)
		plain = i + 1
	}
	w.out = append(append(w.out, s[plain:]...), '"')
	if all >= utf8.RuneSelf && !utf8.ValidString(s) {
		w.invalid = true
	}
}

// escape writes a character that cannot stand for itself.
func (w *writer) escape(c byte) {
	switch c {
	case '"', '\\':
		w.out = append(w.out, '\\', c)
	case '\b':
		w.raw(`\b`)
	case '\t':
		w.raw(`\t`)
	case '\n':
		w.raw(`\n`)
	case '\f':
		w.raw(`\f`)
	case '\r':
		w.raw(`\r`)
	default:
		w.raw(`\u00`)
		w.out = hex.AppendEncode(w.out, []byte{c})
	}
}

// optional writes a field of text, or nothing when that is empty.
func (w *writer) optional(name, s string) {
	if s != "" {
		w.raw(name)
		w.text(s)
	}
}

func (w *writer) integer(n int64) { w.out = strconv.AppendInt(w.out, n, 10) }

func (w *writer) seq(n Seq) { w.out = strconv.AppendUint(w.out, uint64(n), 10) }

func (w *writer) digest(d Digest) {
	w.out = append(w.out, '"')
	w.out = hex.AppendEncode(w.out, d[:])
	w.out = append(w.out, '"')
}

func (w *writer) uuid(id uuid.UUID) {
	w.out = append(w.out, '"')
	w.out = hex.AppendEncode(w.out, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		w.out = hex.AppendEncode(append(w.out, '-'), part)
	}
	w.out = append(w.out, '"')
}

// texts writes a list of strings.
func (w *writer) texts(all []string) {
	w.out = append(w.out, '[')
	for i, s := range all {
		w.comma(i)
		w.text(s)
	}
	w.out = append(w.out, ']')
}

// properties writes a map, its keys ascending.
func (w *writer) properties(all map[string]string) {
	w.out = append(w.out, '{')
	for i, key := range slices.Sorted(maps.Keys(all)) {
		w.comma(i)
		w.text(key)
		w.out = append(w.out, ':')
		w.text(all[key])
	}
	w.out = append(w.out, '}')
}

// comma stands before all items but the first.
func (w *writer) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}
