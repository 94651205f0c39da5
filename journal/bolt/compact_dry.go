package bolt

import "context"

// What bbolt needs beside keys and values, about.
const (
	ownPages    = 8  // of a file: two that say where all is, what is free, and what the making of the copy left
	perPair     = 16 // bytes: where it is on its page
	minPairs    = 2  // of a page, however large they are
	inlineShare = 4  // a bucket below this part of a page lies within the one above it
)

// dry checks the journal itself and estimates the copy's size.
func (c *compaction) dry(ctx context.Context, before int64) (after int64, err error) {
	if c.eraser == nil { // else it is checked
		if _, err := c.audit(ctx, c.from); err != nil {
			return 0, err
		}
	}
	e := estimate{page: int64(c.from.db.Info().PageSize)}
	err = tour(ctx, c.from.db, c.takes, c.editing(), func(_ [][]byte, key, value []byte) error {
		if key == nil {
			e.endBucket()
		} else {
			e.pair(int64(len(key) + len(value)))
		}
		return nil
	})
	e.endBucket()
	return min(e.pages*e.page+ownPages*e.page, before), err
}

// estimate counts the pages that buckets need, as they are filled in order.
type estimate struct {
	page, pages int64
	used        int64 // bytes of the page that is filled
	pairs       int   // on it
	inner       bool  // the bucket has pages that are full
}

func (e *estimate) pair(size int64) {
	size += perPair
	if e.pairs >= minPairs && e.used+size > e.page {
		e.endPage()
		e.inner = true
	}
	if e.pairs == 0 {
		e.used = perPair // of the page itself
	}
	e.used += size
	e.pairs++
}

func (e *estimate) endPage() {
	e.pages += (e.used + e.page - 1) / e.page
	e.used, e.pairs = 0, 0
}

// endBucket: a small one lies within the one above it.
func (e *estimate) endBucket() {
	if e.inner || e.used > e.page/inlineShare {
		e.endPage()
	}
	if e.inner {
		e.pages++ // says where the others are
	}
	e.used, e.pairs, e.inner = 0, 0, false
}
