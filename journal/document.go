package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Codec is how a kept document is stored, as the byte before it.
type Codec byte

// The codecs. The bytes are stored.
const (
	CodecWholeZstd Codec = 1 // the whole document in one zstd frame
	CodecRaw       Codec = 2 // the gzip file that was registered, as it is
	CodecPatch     Codec = 3 // what is to be done to an earlier document, see KeepPatch
	CodecErased    Codec = 4 // nothing: it was kept, and has been erased. One flipped bit makes it no codec at all
)

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
	compressor = newCompressor(false)
	// plainCompressor finds what repeats and codes nothing: two fifths of the time
	// where there is little, and a fifth more bytes.
	plainCompressor = newCompressor(true)
	// bounded decodes no more than there is room for.
	bounded, _      = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecodeAllCapLimit(true))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxInflatedBytes))
)

func newCompressor(plain bool) *zstd.Encoder {
	z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
		zstd.WithEncoderCRC(false), zstd.WithNoEntropyCompression(plain), zstd.WithLowerEncoderMem(true))
	return z
}

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

// KeepFile keeps a registered gzip file as it is, so that it can be written again
// byte for byte. It copies nothing. ok is false when the file is over max bytes.
func KeepFile(move int, gzipFile []byte, max int) (d Document, ok bool) {
	if len(gzipFile) > max {
		return Document{}, false
	}
	return Document{Move: move, Codec: CodecRaw, Data: gzipFile}, true
}

// check refuses a document that the move of an event cannot have made.
func (d Document) check(p Pointer, seq Seq) error {
	switch {
	case d.Codec == CodecPatch:
		return d.checkPatch(p, seq)
	case d.Codec == CodecRaw && (p.Encoding != EncodingGzip || p.Size != int64(len(d.Data))):
		return fmt.Errorf("%w: the file of move %d is no gzip file of %d bytes", ErrRecord, d.Move, len(d.Data))
	case d.Codec != CodecRaw && d.Codec != CodecWholeZstd:
		return fmt.Errorf("%w: document codec %d is unknown", ErrRecord, d.Codec)
	case len(d.Data) > MaxDocumentBytes:
		return fmt.Errorf("%w: a document has %d bytes, the limit is %d", ErrTooLarge, len(d.Data), MaxDocumentBytes)
	}
	return nil
}

func (d Document) checkPatch(p Pointer, seq Seq) error {
	parts, err := d.patch()
	switch {
	case err != nil:
		return fmt.Errorf("%w: the document of move %d: %w", ErrRecord, d.Move, err)
	case p.Encoding != EncodingNone:
		return fmt.Errorf("%w: the file of move %d could not be made of a patch again", ErrRecord, d.Move)
	case parts.base.Seq == 0 || parts.base.Seq >= seq:
		return fmt.Errorf("%w: the document of move %d is built on event %d, which is none before it", ErrRecord, d.Move, parts.base.Seq)
	}
	return nil
}

// inflate reads a gzip file of at most so many bytes inside.
func inflate(file []byte, max int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(z, max+1))
	if err == nil && int64(len(plain)) > max {
		err = errors.New("it is over the limit")
	}
	return plain, err
}

func (e Event) damage(format string, args ...any) *Damage {
	return &Damage{Warehouse: e.Warehouse, Incarnation: e.Incarnation, Seq: e.Seq, Reason: fmt.Errorf(format, args...).Error()}
}
