package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"puddle/journal"
)

// What bbolt stores in a meta page, behind the page's header.
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSum     = 56 // the checksum, after the part that it covers

	// Pages are as large as those of the system on which the file was made.
	minPageSize = 1 << 10
	maxPageSize = 1 << 24
)

// meta is one of the two pages that say, in turn, where the tree is.
type meta struct {
	pageSize             uint32
	root, freelist, high uint64
	txid                 uint64
}

// readMeta answers false for a page that is no whole meta page.
func readMeta(page []byte, id uint64) (m meta, ok bool) {
	at := page[pageHeader:]
	order := binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(at[:metaSum])
	if order.Uint32(at) != metaMagic || order.Uint32(at[4:]) != metaVersion || order.Uint64(at[metaSum:]) != sum.Sum64() ||
		order.Uint64(page) != id || order.Uint16(page[8:]) != metaPage {
		return m, false
	}
	return meta{
		pageSize: order.Uint32(at[8:]), root: order.Uint64(at[16:]), freelist: order.Uint64(at[32:]),
		high: order.Uint64(at[40:]), txid: order.Uint64(at[48:]),
	}, true
}

func (p *pages) metaAt(id int, pageSize uint32) (m meta, ok bool, err error) {
	page := make([]byte, pageHeader+metaSum+8)
	if _, err := p.file.ReadAt(page, int64(id)*int64(pageSize)); err != nil && !errors.Is(err, io.EOF) {
		return m, false, err
	}
	m, ok = readMeta(page, uint64(id))
	return m, ok, nil
}

// pageSize is what the first meta page says, or where the second one is.
func (p *pages) pageSize() (uint32, error) {
	if m, ok, err := p.metaAt(0, 0); ok || err != nil {
		return m.pageSize, err
	}
	for size := uint32(minPageSize); size <= maxPageSize; size *= 2 {
		if m, ok, err := p.metaAt(1, size); err != nil || ok && m.pageSize == size {
			return size, err
		}
	}
	return uint32(os.Getpagesize()), nil
}

// metas reads the two meta pages, and answers whether one is whole.
func (p *pages) metas() (bool, error) {
	info, err := p.file.Stat()
	if err != nil {
		return false, err
	}
	size, err := p.pageSize()
	if err != nil {
		return false, err
	}
	var whole []meta
	torn := 0
	for id := range 2 {
		m, ok, err := p.metaAt(id, size)
		if err != nil {
			return false, err
		}
		if ok {
			whole = append(whole, m)
			continue
		}
		torn = id
	}
	switch len(whole) {
	case 0:
		p.flaw("neither meta page is whole: it is no journal, or damaged")
		return false, nil
	case 1:
		p.found(journal.Flaw{Torn: true, Damage: journal.Damage{Reason: fmt.Sprintf(
			"meta page %d is not whole: the last write was cut off, or it was damaged since; the transaction before it is the last that is there", torn)}})
	}
	p.meta = whole[0]
	if len(whole) == 2 && whole[1].txid > whole[0].txid {
		p.meta = whole[1]
	}
	if len(whole) == 2 && max(whole[0].txid, whole[1].txid)-min(whole[0].txid, whole[1].txid) != 1 {
		p.flaw("the meta pages are of transactions %d and %d, which do not follow each other", whole[0].txid, whole[1].txid)
	}
	if p.meta.pageSize != size || size < minPageSize || p.meta.high > uint64(info.Size())/uint64(p.meta.pageSize) || p.meta.high < 2 {
		p.flaw("the file has %d bytes, which are not %d pages of %d", info.Size(), p.meta.high, p.meta.pageSize)
		return false, nil
	}
	return true, nil
}

// Torn tells why the last write to a journal's file is not there, if a meta page is
// not whole: a crash cut it off, and the file is as before it. Empty when both are
// whole, and when neither is, which Open refuses.
func Torn(path string) (reason string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	p := &pages{file: file, found: func(f journal.Flaw) {
		if f.Torn {
			reason = f.Reason
		}
	}}
	_, err = p.metas()
	return reason, err
}
