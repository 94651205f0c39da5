package bolt

import (
	"context"
	"encoding/binary"

	"puddle/journal"
)

// bucketDepth is how many buckets hold one that holds none (layout.go): the root,
// warehouses, WAREHOUSE and INCARNATION. A file that nests deeper is looked at less closely.
const bucketDepth = 4

// checkFree makes sure that the list of free pages names none that is in use: bbolt
// believes it, and would write over what was acknowledged. Of the tree it reads what leads to
// pages and what the next append may replace, of which bbolt then gives up all pages that it
// says it runs over: the last leaf of each bucket, and of ids and answers, which may go
// anywhere, one header for each leaf. Of the rest it reads one header for each run of free
// pages, so that it costs what branch pages, free pages and ids there are, and not what the
// journal holds. What it finds is a *Damage. Nobody may have the file open to write.
func checkFree(path string) error {
	var damage *journal.Damage
	err := look(context.Background(), path, &pages{skim: true, found: func(f journal.Flaw) {
		if damage == nil && !f.Torn {
			damage = &f.Damage
		}
	}})
	if err == nil && damage != nil {
		return damage
	}
	return err
}

// skips tells that a page leads to no other.
func (p *pages) skips(h head) bool {
	return p.skim && p.depth >= bucketDepth && h.flags == leafPage
}

// aboveSkipped tells that a page leads to leaves that are skipped, but for the last of the
// bucket: when its first child is one, all are, since a tree of bbolt is equally high everywhere.
func (p *pages) aboveSkipped(all []element, leaf bool) (bool, error) {
	if leaf || !p.skim || len(all) == 0 {
		return false, nil
	}
	h, err := p.head(all[0].child)
	return p.skips(h), err
}

// free checks that what is listed as free is not in use, and, when all was read, that
// nothing is neither.
func (p *pages) free() error {
	id := p.meta.freelist
	h, err := p.take(id)
	if h.pages == 0 || err != nil {
		return err
	}
	data, err := p.read(id, h)
	if err != nil {
		return err
	}
	order := binary.NativeEndian
	count, at := uint64(order.Uint16(data[10:])), pageHeader
	if count == manyIDs {
		count, at = order.Uint64(data[at:]), at+8
	}
	if h.flags != freelistPage || count > uint64(len(data)-at)/8 {
		p.flaw("page %d is no list of free pages", id)
		return nil
	}
	for i := range count {
		id := order.Uint64(data[at+int(i)*8:])
		if id >= p.meta.high || p.uses[id] != unused {
			p.flaw("page %d is listed as free, and is in use, listed twice or does not exist", id)
			return nil
		}
		p.uses[id] = listed
	}
	if p.skim {
		return p.overrun()
	}
	for id, use := range p.uses {
		if use == unused {
			p.flaw("page %d is neither in use nor free", id)
			return nil
		}
	}
	return nil
}

// overrun checks that no page which was not read runs over free ones.
func (p *pages) overrun() error {
	last := uint64(0) // known page before
	for i, use := range p.uses {
		id := uint64(i)
		if use == listed && p.uses[last] == named {
			h, err := p.head(last)
			if h.pages == 0 || err != nil {
				return err
			}
			if last+h.pages > id {
				p.flaw("page %d is listed as free, and page %d runs over it", id, last)
				return nil
			}
		}
		if use != unused {
			last = id
		}
	}
	return nil
}
