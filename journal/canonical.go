package journal

import (
	"bytes"
	"encoding/hex"
	"math"
	"unicode/utf8"

	"github.com/google/uuid"
)

// canonical reads the canonical form byte by byte: what it accepts is written as
// encode would write it, so that nothing has to be encoded again to compare it.
// What comes in another spelling, and whatever is rare, sets strange; everything
// read from then on means nothing.
type canonical struct {
	rest    []byte
	strange bool

	last     []byte // the identifier that was read last: most moves keep theirs
	lastRead Identifier
}

// expect passes text, which must be next.
func (c *canonical) expect(text string) {
	if !c.next(text) {
		c.strange = true
	}
}

// next passes text if it is next.
func (c *canonical) next(text string) bool {
	if c.strange || len(c.rest) < len(text) || string(c.rest[:len(text)]) != text {
		return false
	}
	c.rest = c.rest[len(text):]
	return true
}

// raw reads a string that needs no escapes. It is a part of the record.
func (c *canonical) raw() []byte {
	c.expect(`"`)
	end := bytes.IndexByte(c.rest, '"')
	if c.strange || end < 0 {
		c.strange = true
		return nil
	}
	text := c.rest[:end]
	c.rest = c.rest[end+1:]
	all := byte(0)
	for _, b := range text {
		if b < 0x20 || b == '\\' {
			c.strange = true
		}
		all |= b
	}
	if all >= utf8.RuneSelf && !utf8.Valid(text) {
		c.strange = true
	}
	return text
}

func (c *canonical) text() string { return string(c.raw()) }

// word is text of which there are few.
func (c *canonical) word() string {
	raw := c.raw()
	if word, ok := words[string(raw)]; ok {
		return word
	}
	return string(raw)
}

// words are not copied out of every record.
var words = func() map[string]string {
	all := map[string]string{}
	for kind := range decoders {
		all[string(kind)] = string(kind)
	}
	for _, word := range []string{
		string(Table), string(View), string(EncodingNone), string(EncodingGzip), string(OriginREST), string(Anonymous),
		"location", "write.data.path", "write.metadata.path",
		"add-snapshot", "set-snapshot-ref", "set-properties", "assign-uuid", "add-schema", "set-current-schema",
	} {
		all[word] = word
	}
	return all
}()

// integer reads a number; the smallest of 64 bits is strange.
func (c *canonical) integer() int64 {
	negative := c.next("-")
	n, digits := uint64(0), 0
	for digits < len(c.rest) && digits < 20 && c.rest[digits]-'0' <= 9 {
		n = 10*n + uint64(c.rest[digits]-'0')
		digits++
	}
	if digits == 0 || digits == 20 || n > math.MaxInt64 || c.rest[0] == '0' && (digits > 1 || negative) {
		c.strange = true
		return 0
	}
	c.rest = c.rest[digits:]
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// hexadecimal fills into with lower-case digits.
func (c *canonical) hexadecimal(into []byte) {
	n := hex.EncodedLen(len(into))
	if c.strange || len(c.rest) < n {
		c.strange = true
		return
	}
	for i := range into {
		high, low := nibbles[c.rest[2*i]], nibbles[c.rest[2*i+1]]
		if high|low > 0x0f {
			c.strange = true
		}
		into[i] = high<<4 | low
	}
	c.rest = c.rest[n:]
}

// nibbles are the values of lower-case digits; of all else, more than four bits.
var nibbles = func() (values [256]byte) {
	for i := range values {
		values[i] = 0xff
	}
	for i, digit := range []byte("0123456789abcdef") {
		values[digit] = byte(i)
	}
	return values
}()

func (c *canonical) digest() (d Digest) {
	c.expect(`"`)
	c.hexadecimal(d[:])
	c.expect(`"`)
	return d
}

func (c *canonical) uuid() (id uuid.UUID) {
	c.expect(`"`)
	for i, end := range []int{4, 6, 8, 10, 16} {
		if i > 0 {
			c.expect("-")
		}
		c.hexadecimal(id[[]int{0, 4, 6, 8, 10}[i]:end])
	}
	c.expect(`"`)
	return id
}

// item tells whether a list goes on after so many items, and passes what is before
// the next.
func (c *canonical) item(after int) bool {
	if after == 0 {
		c.expect("[")
		return !c.next("]") && !c.strange
	}
	if c.next("]") {
		return false
	}
	c.expect(",")
	return !c.strange
}
