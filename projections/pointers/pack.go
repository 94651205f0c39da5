package pointers

import (
	"encoding/binary"
	"fmt"

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

// pointer ends with the digest of the document where that is another than the
// file's.
func (p packed) pointer(at journal.Pointer) packed {
	p = p.text(at.MetadataLocation).number(at.Size).text(string(at.Encoding))
	p = append(p, at.SHA256[:]...)
	if at.DocumentSHA256 == at.SHA256 {
		return append(p, 0)
	}
	return append(append(p, 1), at.DocumentSHA256[:]...)
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

func (u *unpacking) pointer() journal.Pointer {
	p := journal.Pointer{MetadataLocation: u.text(), Size: u.number(), Encoding: journal.Encoding(u.text())}
	copy(p.SHA256[:], u.bytes(uint64(len(p.SHA256))))
	p.DocumentSHA256 = p.SHA256
	if u.flag() == 1 {
		copy(p.DocumentSHA256[:], u.bytes(uint64(len(p.DocumentSHA256))))
	}
	return p
}

// end says whether all was read, and nothing more was there.
func (u *unpacking) end(what string) error {
	if u.broken || len(u.rest) > 0 {
		return fmt.Errorf("%w: %s is not what is written there", ErrCorrupt, what)
	}
	return nil
}
