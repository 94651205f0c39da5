package pointers

import (
	"encoding/binary"
	"fmt"
	"strings"

	"puddle/journal"
)

// packed is a row's columns that nothing looks for, in one value: binding and
// reading a column costs more than its bytes do. Numbers are varints, text has its
// length before it, ids and digests are their bytes.
type packed []byte

func (p packed) number(n int64) packed { return binary.AppendVarint(p, n) }

func (p packed) text(s string) packed {
	return append(binary.AppendUvarint(p, uint64(len(s))), s...)
}

// end is where an object is: its root, and its pointer. The location of the metadata
// file goes on from the root where it begins with it, and the digest of the document
// is there where it is another than the file's.
func (p packed) end(location string, at journal.Pointer) packed {
	rest, below := strings.CutPrefix(at.MetadataLocation, location)
	p = p.text(location).flag(below).text(rest).number(at.Size).text(string(at.Encoding))
	p = append(p, at.SHA256[:]...)
	other := at.DocumentSHA256 != at.SHA256
	if p = p.flag(other); other {
		p = append(p, at.DocumentSHA256[:]...)
	}
	return p
}

func (p packed) flag(is bool) packed {
	if is {
		return append(p, 1)
	}
	return append(p, 0)
}

// unpacking reads what packed has written. Once it could not read, what it answers
// is worthless.
type unpacking struct {
	rest   []byte
	broken bool
}

func (u *unpacking) bytes(n uint64) []byte {
	if n > uint64(len(u.rest)) {
		u.broken, u.rest = true, nil
		return nil
	}
	taken := u.rest[:n]
	u.rest = u.rest[n:]
	return taken
}

func (u *unpacking) flag() byte {
	if b := u.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (u *unpacking) number() int64 {
	value, n := binary.Varint(u.rest)
	u.bytes(size(n))
	return value
}

func (u *unpacking) text() string {
	length, n := binary.Uvarint(u.rest)
	u.bytes(size(n))
	return string(u.bytes(length))
}

// size of a varint; of one that is cut or too long, more than there can be.
func size(n int) uint64 {
	if n <= 0 {
		return 1 << 62
	}
	return uint64(n)
}

// word is a text of which there are few, so that those that come often need no
// memory each.
func (u *unpacking) word() string {
	length, n := binary.Uvarint(u.rest)
	u.bytes(size(n))
	switch data := u.bytes(length); string(data) {
	case string(journal.EncodingNone):
		return string(journal.EncodingNone)
	case string(journal.EncodingGzip):
		return string(journal.EncodingGzip)
	case rootRole:
		return rootRole
	default:
		return string(data)
	}
}

// rootRole is the role of most places.
const rootRole = "location"

func (u *unpacking) end() (location string, at journal.Pointer) {
	location = u.text()
	if u.flag() != 0 {
		at.MetadataLocation = location
	}
	at.MetadataLocation += u.text()
	at.Size, at.Encoding = u.number(), journal.Encoding(u.word())
	copy(at.SHA256[:], u.bytes(uint64(len(at.SHA256))))
	at.DocumentSHA256 = at.SHA256
	if u.flag() != 0 {
		copy(at.DocumentSHA256[:], u.bytes(uint64(len(at.DocumentSHA256))))
	}
	return location, at
}

// done says whether all was read, and nothing more was there.
func (u *unpacking) done(what string) error {
	if u.broken || len(u.rest) > 0 {
		return fmt.Errorf("%w: %s is not what is written there", ErrCorrupt, what)
	}
	return nil
}
