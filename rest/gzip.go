package rest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// span is a part of a text in blocks of deflate (RFC 1951) that others may follow:
// none is the last, and they end with a whole byte. The sum and the length are
// those of the text, so that nobody reads it again to put spans together.
type span struct {
	blocks []byte
	sum    uint32 // CRC-32
	length int
}

// bytes is a span to be kept; the length of its text is known elsewhere.
func (s span) bytes() []byte {
	kept := append(make([]byte, 0, len(s.blocks)+crc32.Size), s.blocks...)
	return binary.LittleEndian.AppendUint32(kept, s.sum)
}

// spanOf is a span that was kept.
func spanOf(kept []byte, length int) span {
	end := len(kept) - crc32.Size
	return span{kept[:end:end], binary.LittleEndian.Uint32(kept[end:]), length}
}

// deflaters are idle writers of deflate: one takes much memory.
type deflaters struct{ pool sync.Pool }

func (d *deflaters) deflate(text []byte) span {
	var blocks bytes.Buffer
	z, ok := d.pool.Get().(*flate.Writer)
	if ok {
		z.Reset(&blocks)
	} else {
		z, _ = flate.NewWriter(&blocks, flate.BestSpeed) // fails for other levels only
	}
	_, _ = z.Write(text) // a buffer takes everything
	_ = z.Flush()
	d.pool.Put(z)
	return span{blocks.Bytes(), crc32.ChecksumIEEE(text), len(text)}
}

// stored is a text of less than 64 KiB as it is, in one block.
func stored(text []byte) span {
	n := uint16(len(text))
	block := binary.LittleEndian.AppendUint16([]byte{0}, n)
	block = binary.LittleEndian.AppendUint16(block, ^n)
	return span{append(block, text...), crc32.ChecksumIEEE(text), len(text)}
}

// member is one gzip member (RFC 1952) of spans, in pieces.
func member(spans []span) [][]byte {
	pieces := [][]byte{{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}}
	var sum, length uint32
	for _, s := range spans {
		pieces = append(pieces, s.blocks)
		sum, length = joined(sum, s.sum, s.length), length+uint32(s.length)
	}
	end := binary.LittleEndian.AppendUint32([]byte{3, 0}, sum) // an empty last block
	return append(pieces, binary.LittleEndian.AppendUint32(end, length))
}

// joined is the CRC-32 of a text with the sum a that is followed by one with the
// sum b. A sum is a remainder of polynomials over two elements, its highest bit
// that of x⁰: what follows moves the first text up, by a power of x.
func joined(a, b uint32, length int) uint32 {
	power, x := uint32(1)<<31, uint32(1)<<23 // x⁰, and x⁸ for a byte
	for ; length > 0; length >>= 1 {
		if length&1 != 0 {
			power = times(power, x)
		}
		x = times(x, x)
	}
	return times(power, a) ^ b
}

// times multiplies remainders.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return product
}
