package journal

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

const (
	window     = 32      // bytes that two texts must share to be looked at
	stride     = 64      // between the windows of a base that can be found
	maxAnchors = 1 << 15 // windows of a base that can be found, of a long one fewer than that a stride
)

// differ describes a target by copies from a base.
type differ struct {
	base, target []byte
	anchors      []uint32 // by hash: one more than where a window of the base begins
	shift        int
	next         int // behind the last copy, in the base
	ops          []byte
}

// differs keep their memory, at most half a MiB each.
var differs = sync.Pool{New: func() any { return new(differ) }}

// diff makes the operations that apply makes target of base with. It reads both
// once. ok is false as soon as they would take more than budget bytes: the texts
// have little in common then. What it answers is good until it is called again.
func (d *differ) diff(base, target []byte, budget int) (ops []byte, ok bool) {
	*d = differ{base: base, target: target, anchors: d.anchors[:0], ops: d.ops[:0]}
	d.index()
	done := 0 // of target; what is behind waits for the next match
	for at := 0; at+window <= len(target); {
		from, found := d.find(at, at-done)
		if !found {
			at++
		} else {
			back := commonEnd(base[:from], target[done:at])
			n := common(base[from:], target[at:])
			d.insert(target[done : at-back])
			d.copy(from-back, back+n)
			at += n
			done = at
		}
		if len(d.ops)+at-done > budget {
			return nil, false
		}
	}
	d.insert(target[done:])
	return d.ops, len(d.ops) <= budget
}

// release gives a differ to the next, without the texts.
func (d *differ) release() {
	d.base, d.target = nil, nil
	differs.Put(d)
}

// index makes windows of the base findable. Of equal ones the last is.
func (d *differ) index() {
	step := max(stride, len(d.base)/maxAnchors)
	size := bits.Len(uint(len(d.base)/step)) + 1
	d.anchors, d.shift = slices.Grow(d.anchors, 1<<size)[:1<<size], 64-size
	clear(d.anchors)
	for at := 0; at+window <= len(d.base); at += step {
		d.anchors[hash(d.base[at:])>>d.shift] = uint32(at + 1)
	}
}

// find looks in the base for the window of the target that begins at a place, so
// many bytes behind the last match: where the base goes on if they are instead of
// as many others, where it goes on if they are new, and anywhere.
func (d *differ) find(at, pending int) (from int, ok bool) {
	want := d.target[at : at+window]
	if d.isAt(d.next+pending, want) {
		return d.next + pending, true
	}
	if d.isAt(d.next, want) {
		return d.next, true
	}
	from = int(d.anchors[hash(want)>>d.shift]) - 1
	return from, from >= 0 && d.isAt(from, want)
}

// isAt compares a window. Most differ in their first word.
func (d *differ) isAt(from int, want []byte) bool {
	return from+window <= len(d.base) && binary.LittleEndian.Uint64(d.base[from:]) == binary.LittleEndian.Uint64(want) &&
		bytes.Equal(d.base[from:from+window], want)
}

// insert adds an operation that brings bytes along.
func (d *differ) insert(text []byte) {
	if len(text) == 0 {
		return
	}
	d.ops = append(binary.AppendUvarint(d.ops, uint64(len(text))<<1), text...)
}

// copy adds an operation that takes bytes from the base. Where from is told as
// seen from the end of the copy before.
func (d *differ) copy(from, n int) {
	d.ops = binary.AppendUvarint(d.ops, uint64(n)<<1|1)
	d.ops = binary.AppendVarint(d.ops, int64(from-d.next))
	d.next = from + n
}

// hash mixes a window.
func hash(b []byte) uint64 {
	b = b[:window]
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	return word(0)*0x9e3779b97f4a7c15 + word(8)*0xc2b2ae3d27d4eb4f + word(16)*0x165667b19e3779f9 + word(24)*0xd6e8feb86659fd93
}

// common is how many bytes two texts begin with alike.
func common(a, b []byte) int {
	const block = 512
	n, at := min(len(a), len(b)), 0
	for at+block <= n && bytes.Equal(a[at:at+block], b[at:at+block]) {
		at += block
	}
	for ; at+8 <= n; at += 8 {
		if x := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); x != 0 {
			return at + bits.TrailingZeros64(x)/8
		}
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}

// commonEnd is how many bytes two texts end with alike.
func commonEnd(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
