package metadata

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// cursor walks over JSON text that checkText has passed: it finds where values end
// and proves nothing. It allocates nothing. Text of another kind may be walked
// wrongly, but never past its end.
type cursor struct {
	raw []byte
	at  int // where the last bracket or value ended
}

// start is where the next bracket or value begins.
func (c *cursor) start() int {
	at := c.at
	for at < len(c.raw) {
		switch c.raw[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// kind is that of the next bracket or value: its first byte, '0' for every number;
// 0 at the end.
func (c *cursor) kind() byte {
	at := c.start()
	if at == len(c.raw) {
		return 0
	}
	if first := c.raw[at]; first != '-' && (first < '0' || '9' < first) {
		return first
	}
	return '0'
}

// bracket passes over one.
func (c *cursor) bracket() error {
	at := c.start()
	if at == len(c.raw) {
		return io.ErrUnexpectedEOF
	}
	c.at = at + 1
	return nil
}

// skip passes over one value of any kind.
func (c *cursor) skip() error {
	_, err := c.value()
	return err
}

// value reads one value of any kind. It is a slice of raw.
func (c *cursor) value() (jsontext.Value, error) {
	start := c.start()
	depth := 0
	for at := start; at < len(c.raw); {
		switch c.raw[at] {
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case '"':
			at = endOfString(c.raw, at)
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
			continue
		default:
			at = endOfWord(c.raw, at)
		}
		if depth <= 0 {
			c.at = at
			return c.raw[start:at:at], nil
		}
	}
	return nil, io.ErrUnexpectedEOF
}

// endOfString is where the string ends that begins at start.
func endOfString(raw []byte, start int) int {
	for at := start + 1; ; at++ {
		quote := bytes.IndexByte(raw[at:], '"')
		if quote < 0 {
			return len(raw)
		}
		escapes := 0
		for end := at + quote; raw[end-escapes-1] == '\\'; escapes++ {
		}
		if at += quote; escapes%2 == 0 {
			return at + 1
		}
	}
}

// endOfWord is where a number, true, false or null ends that begins at start.
func endOfWord(raw []byte, start int) int {
	for at := start + 1; at < len(raw); at++ {
		switch raw[at] {
		case ' ', '\t', '\r', '\n', ',', ':', ']', '}':
			return at
		}
	}
	return len(raw)
}
