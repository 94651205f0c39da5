package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

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

// use is what is known of a page.
type use byte

const (
	unused use = iota
	taken      // it was read, or one before it runs over it
	named      // it is in the tree, and was not read
	listed     // it is free
)

// pages is a look at how a file is put together.
type pages struct {
	file  *os.File
	meta  meta
	uses  []use
	skim  bool // the leaves of buckets that hold no buckets are not read
	depth int  // how many buckets hold the one that is looked at
	each  bool // any leaf of it may be replaced next, not the last alone
	found func(journal.Flaw)

	replaceable []uint64 // such leaves that were not read
}

// CheckPages reads every page of a journal's file that nobody has open to write: the
// two meta pages of its last transactions, the tree that they name, and that each page
// is either in the tree, once, or free. It trusts nothing of it, and tells what is
// not as bbolt writes it. A meta page that is not whole is torn: a write was cut off, or
// it was damaged since, and the transaction before it is the last. The error says
// that the file cannot be read. What it finds wrong, but a torn meta page, leaves no way to
// open the file that is sure to end.
func CheckPages(ctx context.Context, path string, found func(journal.Flaw)) error {
	return look(ctx, path, &pages{found: found})
}

// pageTries is how often the pages of a journal are looked at that is written meanwhile.
const pageTries = 3

// CheckPages is the function of that name, for a journal that this process has open.
// No page of a transaction is written over before the next one is committed, so that a
// look counts during which none was; false when each met one, and nothing is told.
// It holds up nobody.
func (j *Journal) CheckPages(ctx context.Context, found func(journal.Flaw)) (bool, error) {
	for range pageTries {
		var flaws []journal.Flaw
		before, err := j.transaction(ctx)
		if err == nil {
			err = CheckPages(ctx, j.path, func(f journal.Flaw) { flaws = append(flaws, f) })
		}
		after, failed := j.transaction(ctx)
		if err = errors.Join(err, failed); err != nil {
			return false, err
		}
		if before == after {
			for _, f := range flaws {
				found(f)
			}
			return true, nil
		}
	}
	return false, nil
}

// transaction is the last one that was committed to the file, which must still be the
// one that the path leads to.
func (j *Journal) transaction(ctx context.Context) (id int, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		id = tx.ID()
		info, err := os.Stat(j.path)
		if err == nil && !os.SameFile(info, j.opened) {
			err = errors.New("its path leads to another file")
		}
		return err
	})
	return id, err
}

func look(ctx context.Context, path string, p *pages) (err error) {
	if p.file, err = os.Open(path); err != nil {
		return err
	}
	defer p.file.Close()
	if ok, err := p.metas(); !ok || err != nil {
		return err
	}
	p.uses = make([]use, p.meta.high)
	p.uses[0], p.uses[1] = taken, taken
	if err := errors.Join(p.tree(ctx, p.meta.root, nil, nil), p.runOver()); err != nil {
		return err
	}
	return p.free()
}

func (p *pages) flaw(reason string, args ...any) {
	p.found(journal.Flaw{Damage: journal.Damage{Reason: fmt.Sprintf(reason, args...)}})
}

// head is what a page says of itself. One of no pages is damaged, which was told.
type head struct {
	flags uint16
	pages uint64 // with those that it runs over
}

func (p *pages) head(id uint64) (head, error) {
	if id < 2 || id >= p.meta.high {
		p.flaw("page %d is named, and there are %d", id, p.meta.high)
		return head{}, nil
	}
	data := make([]byte, pageHeader)
	if _, err := p.file.ReadAt(data, int64(id)*int64(p.meta.pageSize)); err != nil {
		return head{}, err
	}
	return p.headOf(id, data), nil
}

// headOf reads the header of a page that there is.
func (p *pages) headOf(id uint64, data []byte) head {
	h := head{flags: binary.NativeEndian.Uint16(data[8:]), pages: uint64(binary.NativeEndian.Uint32(data[12:])) + 1}
	if says := binary.NativeEndian.Uint64(data); says != id || id+h.pages > p.meta.high {
		p.flaw("page %d says that it is page %d, of %d pages", id, says, h.pages)
		return head{}
	}
	return h
}

// mark notes that a page is in use, and tells when it is so twice.
func (p *pages) mark(id uint64, as use) bool {
	if p.uses[id] != unused {
		p.flaw("page %d is in use twice", id)
		return false
	}
	p.uses[id] = as
	return true
}

// take marks a page and those that it runs over.
func (p *pages) take(id uint64) (head, error) {
	h, err := p.head(id)
	for i := id; i < id+h.pages; i++ {
		if !p.mark(i, taken) {
			return head{}, nil
		}
	}
	return h, err
}

func (p *pages) read(id uint64, h head) ([]byte, error) {
	size := uint64(p.meta.pageSize)
	data := make([]byte, h.pages*size)
	_, err := p.file.ReadAt(data, int64(id*size))
	return data, err
}

// tree looks at a page and all below it. Their keys are from one, and before another.
func (p *pages) tree(ctx context.Context, id uint64, from, before []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h, err := p.take(id)
	if h.pages == 0 || err != nil {
		return err
	}
	data, err := p.read(id, h)
	if err != nil {
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
	all = make([]element, 0, count)
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
	above, err := p.aboveSkipped(all, leaf)
	if err != nil {
		return err
	}
	for i, e := range all {
		if i > 0 && bytes.Compare(all[i-1].key, e.key) >= 0 || bytes.Compare(e.key, from) < 0 && (leaf || i > 0) || before != nil && bytes.Compare(e.key, before) >= 0 {
			p.flaw("page %d has the key %x out of order", id, e.key)
			return nil
		}
		switch {
		case leaf && e.bucket:
			err = p.bucket(ctx, id, e)
		case above && (before != nil || i < len(all)-1):
			p.skip(e.child)
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
func (p *pages) bucket(ctx context.Context, id uint64, e element) error {
	value := e.value
	if len(value) < bucketSize || binary.NativeEndian.Uint64(value[8:]) != 0 {
		p.flaw("page %d holds a bucket that is none", id)
		return nil
	}
	p.depth++
	p.each = p.depth == bucketDepth && !grows(e.key)
	defer func() { p.depth, p.each = p.depth-1, false }()
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
