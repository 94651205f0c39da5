package journal

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Codec is how a kept document is stored, as the byte before it.
type Codec byte

// CodecWholeZstd is the whole document in one zstd frame. The byte is stored.
const CodecWholeZstd Codec = 1

// Limits of documents.
const (
	MaxDocumentBytes = 16 << 20  // compressed; larger ones are kept by digest only
	MaxInflatedBytes = 512 << 20 // what a kept document may inflate to
)

// Document is the inflated bytes of a metadata file, kept beside the chain
// under the event's seq and the index of the move that names it.
type Document struct {
	Move  int
	Codec Codec
	Data  []byte // encoded
}

var (
	compressor, _   = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxInflatedBytes))
)

// KeepDocument encodes a document for an event's move. It costs CPU: call it
// outside the recorder. ok is false when the encoded form is over max bytes: the
// event is then appended without it and names it by digest only.
func KeepDocument(move int, plain []byte, max int) (d Document, ok bool) {
	data := compressor.EncodeAll(plain, nil)
	if len(data) > max {
		return Document{}, false
	}
	return Document{Move: move, Codec: CodecWholeZstd, Data: data}, true
}

// Open decodes the document of a move of e and compares it with the digest that
// e holds of it. ErrNoEvent when e has no such move; *Damage when the bytes are
// not those that e names.
func (d Document) Open(e Event) ([]byte, error) {
	want, err := e.DocumentDigest(d.Move)
	if err != nil {
		return nil, err
	}
	if d.Codec != CodecWholeZstd {
		return nil, fmt.Errorf("%w: document codec %d", ErrNewer, d.Codec)
	}
	plain, err := decompressor.DecodeAll(d.Data, nil)
	if err != nil {
		return nil, e.damage("document of move %d does not inflate: %v", d.Move, err)
	}
	if got := Sum(plain); got != want {
		return nil, e.damage("document of move %d has the digest %s, the chain says %s", d.Move, got, want)
	}
	return plain, nil
}

func (e Event) damage(format string, args ...any) *Damage {
	return &Damage{Warehouse: e.Warehouse, Incarnation: e.Incarnation, Seq: e.Seq, Reason: fmt.Sprintf(format, args...)}
}
