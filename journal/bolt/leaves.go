package bolt

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// grows tells of a bucket whose keys only grow, so that what is put into it goes into
// its last leaf.
func grows(name []byte) bool {
	return bytes.Equal(name, bucketEvents) || bytes.Equal(name, bucketDocuments)
}

// skip marks a leaf that is not read.
func (p *pages) skip(id uint64) {
	if id >= p.meta.high {
		p.flaw("page %d is named, and there are %d", id, p.meta.high)
		return
	}
	as := named
	if p.each {
		as, p.replaceable = taken, append(p.replaceable, id)
	}
	p.mark(id, as)
}

// runOver marks what the leaves that may be replaced say that they run over.
func (p *pages) runOver() error {
	slices.Sort(p.replaceable)
	headers, err := p.headers(p.replaceable)
	if err != nil {
		return err
	}
	for i, id := range p.replaceable {
		h := p.headOf(id, headers[i*pageHeader:][:pageHeader])
		for over := id + 1; over < id+h.pages; over++ {
			if !p.mark(over, taken) {
				return nil
			}
		}
	}
	return nil
}

// readers is how many headers are read at the same time: of a file that the system does not
// have in memory each is a wait for the disk.
const readers = 32

// headers reads those of pages that there are.
func (p *pages) headers(of []uint64) ([]byte, error) {
	all, errs := make([]byte, len(of)*pageHeader), make([]error, readers)
	var next atomic.Int64
	var reading sync.WaitGroup
	for r := range min(readers, len(of)) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(of) && errs[r] == nil; i = int(next.Add(1)) - 1 {
				_, errs[r] = p.file.ReadAt(all[i*pageHeader:][:pageHeader], int64(of[i])*int64(p.meta.pageSize))
			}
		})
	}
	reading.Wait()
	return all, errors.Join(errs...)
}
