package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// Seq numbers the events of one incarnation: dense, ascending, from 1 in a
// warehouse's first incarnation. 0 means "before the first event". No seq is
// ever used twice within a lineage.
type Seq uint64

// ParseSeq reads the decimal form that String writes, and no other spelling.
func ParseSeq(s string) (Seq, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || Seq(n).String() != s {
		return 0, fmt.Errorf("seq %q is not a number from 0 to 2^63-1", s)
	}
	return Seq(n), nil
}

// String writes the number in decimal.
func (s Seq) String() string { return strconv.FormatUint(uint64(s), 10) }

// IsZero tells whether s stands before the first event.
func (s Seq) IsZero() bool { return s == 0 }

// Digest is a SHA-256. Its text form is 64 lower-case hexadecimal digits.
type Digest [sha256.Size]byte

// Sum is the SHA-256 of data.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

// ParseDigest reads the form that String writes, and no other spelling.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	return d, d.UnmarshalText([]byte(s))
}

// String writes 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero tells whether d was never set.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText writes the form of String.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the form of String and refuses upper case.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("digest %q is not 64 hexadecimal digits", text)
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("digest %q is not 64 lower-case hexadecimal digits", text)
		}
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// Position says where in which history: the incarnation, the seq in it, and the
// hash of the event there. Every cursor, anchor and manifest holds all three,
// so that a history that was rolled back or replaced is noticed.
type Position struct {
	Hash        Digest    `json:"hash"`
	Incarnation uuid.UUID `json:"incarnation"`
	Seq         Seq       `json:"seq"`
}

// IsZero tells whether p is no position at all.
func (p Position) IsZero() bool { return p == Position{} }

// String writes incarnation:seq, the form a POINT takes on the command line.
func (p Position) String() string { return p.Incarnation.String() + ":" + p.Seq.String() }
