package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Limits of patches.
const (
	MaxPatches = 32      // on top of each other, the lowest on a document that is kept whole
	MinPatched = 8 << 10 // bytes of a document; smaller ones are kept whole
)

// The operations of a patch must be a part of what they make, and no more bytes
// than are searched in no time.
const (
	gain   = 8
	maxOps = 64 << 10
)

// frameExtra is more than a zstd frame of few bytes has around them.
const frameExtra = 64

// fewOps is up to where the tables of an entropy coder cost a patch more than they
// gain it.
const fewOps = 4 << 10

func compressorOf(ops []byte) *zstd.Encoder {
	if len(ops) <= fewOps {
		return plainCompressor
	}
	return compressor
}

// ErrNoBase: an entry keeps a document as a patch on one that the same incarnation
// does not keep, or that was not there before the group. Nothing was written.
var ErrNoBase = errors.New("document is a patch on one that is not kept")

// Base is a kept document that another of the same incarnation may be built on.
type Base struct {
	Seq     Seq
	Move    int
	Patches int // that it is made of; 0: it is kept whole
}

// patchHeader is what stands before the operations: seq (8), move (4), how many
// patches there are with this one (1), size of the document (4).
const (
	patchLevel  = 8 + 4
	patchHeader = patchLevel + 1 + 4
)

// patch is a Document taken apart.
type patch struct {
	base Base
	size int    // of the document that it makes
	ops  []byte // compressed
}

// KeepPatch encodes a document as what is to be done to an earlier one, whose
// bytes are base. It costs CPU, as KeepDocument does. ok is false when that gains
// little, when the chain of patches would be longer than MaxPatches, or when the
// encoded form is over max bytes: it is then for KeepDocument.
func KeepPatch(move int, plain []byte, on Base, base []byte, max int) (d Document, ok bool) {
	if on.Patches >= MaxPatches || len(plain) < MinPatched || len(plain) > MaxInflatedBytes {
		return Document{}, false
	}
	differ := differs.Get().(*differ)
	defer differ.release()
	ops, ok := differ.diff(base, plain, min(len(plain)/gain, maxOps))
	if !ok {
		return Document{}, false
	}
	data := make([]byte, 0, patchHeader+len(ops)+frameExtra)
	data = binary.BigEndian.AppendUint64(data, uint64(on.Seq))
	data = binary.BigEndian.AppendUint32(data, uint32(on.Move))
	data = append(data, byte(on.Patches+1))
	data = binary.BigEndian.AppendUint32(data, uint32(len(plain)))
	if data = compressorOf(ops).EncodeAll(ops, data); len(data) > max {
		return Document{}, false
	}
	return Document{Move: move, Codec: CodecPatch, Data: data}, true
}

// Patches is how many patches a document is made of: 0 when it is kept whole. Of
// what is no document of this build it means nothing.
func (d Document) Patches() int {
	if d.Codec != CodecPatch || len(d.Data) < patchHeader {
		return 0
	}
	return int(d.Data[patchLevel])
}

// OnAnother is a patch, one of which On tells the base, whose base is made of another number of
// patches than before, and of the same bytes.
func (d Document) OnAnother(patches int) Document {
	d.Data = bytes.Clone(d.Data)
	d.Data[patchLevel] = byte(patches + 1)
	return d
}

// patch takes a document of CodecPatch apart.
func (d Document) patch() (p patch, err error) {
	if len(d.Data) < patchHeader {
		return p, fmt.Errorf("%d bytes are too short for a patch", len(d.Data))
	}
	p.base.Seq = Seq(binary.BigEndian.Uint64(d.Data))
	p.base.Move = int(binary.BigEndian.Uint32(d.Data[8:]))
	p.base.Patches = int(d.Data[patchLevel]) - 1
	p.size, p.ops = int(binary.BigEndian.Uint32(d.Data[13:])), d.Data[patchHeader:]
	switch {
	case p.base.Patches < 0 || p.base.Patches >= MaxPatches:
		return p, fmt.Errorf("it says that it is patch %d of at most %d", p.base.Patches+1, MaxPatches)
	case p.size > MaxInflatedBytes:
		return p, fmt.Errorf("it says that it makes %d bytes, the limit is %d", p.size, MaxInflatedBytes)
	}
	return p, nil
}

// CheckBase refuses a patch whose base is not what it says (ErrNoBase): kept gives
// what the incarnation keeps of a move before the group is appended, of which the
// first bytes are enough.
func (d Document) CheckBase(kept func(seq Seq, move int) (Document, bool)) error {
	if d.Codec != CodecPatch {
		return nil
	}
	p, err := d.patch()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	base, ok := kept(p.base.Seq, p.base.Move)
	if !ok || base.Codec == CodecErased {
		return fmt.Errorf("%w: move %d of event %d", ErrNoBase, p.base.Move, p.base.Seq)
	}
	if base.Patches() != p.base.Patches {
		return fmt.Errorf("%w: move %d of event %d is made of %d patches, not of %d", ErrNoBase, p.base.Move, p.base.Seq, base.Patches(), p.base.Patches)
	}
	return nil
}

// apply makes the document of its base, in the memory of into where that is
// large enough. It asks for no memory before it knows that the operations make as
// many bytes as the patch says.
func (p patch) apply(into, base []byte) ([]byte, error) {
	ops, err := p.inflated()
	if err != nil {
		return nil, err
	}
	made, end := 0, 0
	for rest := ops; len(rest) > 0; {
		var o op
		if o, rest, err = cutOp(rest, end, len(base), p.size-made); err != nil {
			return nil, err
		}
		made, end = made+o.n, o.end
	}
	if made != p.size {
		return nil, fmt.Errorf("its operations make %d bytes, not %d", made, p.size)
	}
	into, end = slices.Grow(into[:0], p.size), 0
	for rest := ops; len(rest) > 0; {
		var o op
		if o, rest, err = cutOp(rest, end, len(base), p.size); err != nil {
			return nil, err
		}
		if end = o.end; o.text == nil {
			o.text = base[end-o.n : end]
		}
		into = append(into, o.text...)
	}
	return into, nil
}

// inflated are the operations: never more bytes than they make. Their frame says how
// many, if they are not few.
func (p patch) inflated() ([]byte, error) {
	var frame zstd.Header
	if err := frame.Decode(p.ops); err != nil {
		return nil, err
	}
	const few = 256
	room := uint64(few)
	if frame.HasFCS {
		room = frame.FrameContentSize
	}
	if room > max(few, uint64(p.size)) {
		return nil, fmt.Errorf("its operations are %d bytes, and make %d", room, p.size)
	}
	return bounded.DecodeAll(p.ops, make([]byte, 0, room))
}

// op is an operation: it brings text along or copies from the base.
type op struct {
	n    int    // bytes that it makes
	text []byte // nil: they are those of the base before end
	end  int    // behind the last copy, in the base
}

// cutOp takes the first operation off. The last copy ended at end; the base has
// size bytes, and no more than room may be made.
func cutOp(ops []byte, end, size, room int) (o op, rest []byte, err error) {
	head, width := binary.Uvarint(ops)
	if width <= 0 || head>>1 == 0 || head>>1 > uint64(room) {
		return o, nil, errors.New("an operation makes nothing, or too much")
	}
	o, ops = op{n: int(head >> 1), end: end}, ops[width:]
	if head&1 == 0 {
		if o.n > len(ops) {
			return o, nil, errors.New("an operation is cut off")
		}
		o.text = ops[:o.n]
		return o, ops[o.n:], nil
	}
	distance, width := binary.Varint(ops)
	if width <= 0 || distance < -int64(end) || distance > int64(size-end) || o.n > size-end-int(distance) {
		return o, nil, errors.New("an operation copies what the base does not have")
	}
	o.end = end + int(distance) + o.n
	return o, ops[width:], nil
}
