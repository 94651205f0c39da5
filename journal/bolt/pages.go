package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"puddle/journal"
)

// What bbolt stores in pages, in the byte order of the machine. A page begins with
// its id (8), flags (2), count (2) and overflow (4); elements of 16 bytes follow,
// and then what they are about.
const (
	pageHeader  = 16
	elementSize = 16
	bucketSize  = 16 // root page (8) and sequence (8), before an inline page

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10

	bucketLeaf = 0x01   // an element's value is a bucket
	manyIDs    = 0xFFFF // the count is the first id
)

// pages is a look at how a file is put together.
type pages struct {
	file    *os.File
	meta    meta
	reached []bool
	found   func(journal.Flaw)
}

// CheckPages reads every page of a journal's file that nobody has open to write: the
// two meta pages of its last transactions, the tree that they name, and that each page
// is either in the tree, once, or free. It trusts nothing of it, and tells what is
// not as bbolt writes it. A meta page that is not whole is torn: a write was cut off, or
// it was damaged since, and the transaction before it is the last. The error says
// that the file cannot be read. What it finds wrong, but a torn meta page, leaves no way to
// open the file that is sure to end.
func CheckPages(ctx context.Context, path string, found func(journal.Flaw)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	p := &pages{file: file, found: found}
	if ok, err := p.metas(); !ok || err != nil {
		return err
	}
	p.reached = make([]bool, p.meta.high)
	p.reached[0], p.reached[1] = true, true
	if err := p.tree(ctx, p.meta.root, nil, nil); err != nil {
		return err
	}
	return p.free()
}

func (p *pages) flaw(reason string, args ...any) {
	p.found(journal.Flaw{Damage: journal.Damage{Reason: fmt.Sprintf(reason, args...)}})
}

// take marks a page and those that it runs over as reached, and reads them.
func (p *pages) take(id uint64) ([]byte, error) {
	if id < 2 || id >= p.meta.high {
		p.flaw("page %d is named, and there are %d", id, p.meta.high)
		return nil, nil
	}
	size := int64(p.meta.pageSize)
	header := make([]byte, pageHeader)
	if _, err := p.file.ReadAt(header, int64(id)*size); err != nil {
		return nil, err
	}
	n := uint64(binary.NativeEndian.Uint32(header[12:])) + 1
	if binary.NativeEndian.Uint64(header) != id || id+n > p.meta.high {
		p.flaw("page %d says that it is page %d, of %d pages", id, binary.NativeEndian.Uint64(header), n)
		return nil, nil
	}
	for i := id; i < id+n; i++ {
		if p.reached[i] {
			p.flaw("page %d is in use twice", i)
			return nil, nil
		}
		p.reached[i] = true
	}
	data := make([]byte, int64(n)*size)
	_, err := p.file.ReadAt(data, int64(id)*size)
	return data, err
}

// tree looks at a page and all below it. Their keys are from one, and before another.
func (p *pages) tree(ctx context.Context, id uint64, from, before []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := p.take(id)
	if data == nil || err != nil {
		return err
	}
	return p.node(ctx, id, data, from, before, false)
}

// element is one of a page: a child, or a key with its value.
type element struct {
	key, value []byte
	child      uint64
	bucket     bool
}

// elements reads a page's; false when they are not as bbolt lays them out.
func elements(data []byte, inline bool, pageSize int) (all []element, leaf, ok bool) {
	order := binary.NativeEndian
	flags, count := order.Uint16(data[8:]), int(order.Uint16(data[10:]))
	leaf = flags == leafPage
	end := pageHeader + count*elementSize
	if !leaf && flags != branchPage || end > len(data) {
		return nil, leaf, false
	}
	for i := range count {
		at := pageHeader + i*elementSize
		e := element{}
		var pos, keySize, valueSize int
		if leaf {
			kind := order.Uint32(data[at:])
			e.bucket = kind == bucketLeaf
			pos, keySize, valueSize = int(order.Uint32(data[at+4:])), int(order.Uint32(data[at+8:])), int(order.Uint32(data[at+12:]))
			if kind > bucketLeaf {
				return nil, leaf, false
			}
		} else {
			pos, keySize, e.child = int(order.Uint32(data[at:])), int(order.Uint32(data[at+4:])), order.Uint64(data[at+8:])
		}
		if at+pos != end || end+keySize+valueSize > len(data) {
			return nil, leaf, false
		}
		e.key, e.value = data[end:end+keySize], data[end+keySize:end+keySize+valueSize]
		end += keySize + valueSize
		all = append(all, e)
	}
	return all, leaf, inline || (end+pageSize-1)/pageSize*pageSize == len(data)
}

func (p *pages) node(ctx context.Context, id uint64, data, from, before []byte, inline bool) error {
	all, leaf, ok := elements(data, inline, int(p.meta.pageSize))
	if !ok {
		p.flaw("page %d is not laid out as one", id)
		return nil
	}
	for i, e := range all {
		if i > 0 && bytes.Compare(all[i-1].key, e.key) >= 0 || bytes.Compare(e.key, from) < 0 && (leaf || i > 0) || before != nil && bytes.Compare(e.key, before) >= 0 {
			p.flaw("page %d has the key %x out of order", id, e.key)
			return nil
		}
		var err error
		switch {
		case leaf && e.bucket:
			err = p.bucket(ctx, id, e.value)
		case !leaf:
			until := before
			if i+1 < len(all) {
				until = all[i+1].key
			}
			err = p.tree(ctx, e.child, e.key, until)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket looks at what a bucket holds, in pages of its own or in its value.
func (p *pages) bucket(ctx context.Context, id uint64, value []byte) error {
	if len(value) < bucketSize || binary.NativeEndian.Uint64(value[8:]) != 0 {
		p.flaw("page %d holds a bucket that is none", id)
		return nil
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return p.tree(ctx, root, nil, nil)
	}
	inline := value[bucketSize:]
	if len(inline) < pageHeader {
		p.flaw("page %d holds a bucket that is cut", id)
		return nil
	}
	return p.node(ctx, id, inline, nil, nil, true)
}

// free checks that what is not reached is free, and nothing else is.
func (p *pages) free() error {
	data, err := p.take(p.meta.freelist)
	if data == nil || err != nil {
		return err
	}
	order := binary.NativeEndian
	count, at := uint64(order.Uint16(data[10:])), pageHeader
	if count == manyIDs {
		count, at = order.Uint64(data[at:]), at+8
	}
	if order.Uint16(data[8:]) != freelistPage || count > uint64(len(data)-at)/8 {
		p.flaw("page %d is no list of free pages", p.meta.freelist)
		return nil
	}
	for i := range count {
		id := order.Uint64(data[at+int(i)*8:])
		if id >= p.meta.high || p.reached[id] {
			p.flaw("page %d is listed as free, and is in use or does not exist", id)
			return nil
		}
		p.reached[id] = true
	}
	for id, reached := range p.reached {
		if !reached {
			p.flaw("page %d is neither in use nor free", id)
			return nil
		}
	}
	return nil
}
