package probe

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"puddle/internal/warehouse"
)

// mostBytes bounds what is read back.
const mostBytes = 1 << 10

func (p *probe) create(name, data string) error {
	return p.store.Create(p.ctx, p.key(name), []byte(data))
}

// reads wants data under a name.
func (p *probe) reads(name, data string) error {
	got, err := p.store.Get(p.ctx, p.key(name), mostBytes)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return brokenf("what was written is not there: %q", p.key(name))
	case err != nil:
		return err
	case string(got) != data:
		return brokenf("other bytes are read than were written last: %q", p.key(name))
	}
	return nil
}

// stats looks at the first object, which was written between two moments.
func (p *probe) stats(from, to time.Time) error {
	info, err := p.store.Stat(p.ctx, p.key("a"))
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return brokenf("what was written is not there: %q", p.key("a"))
	case err != nil:
		return err
	case info.Size != int64(len("first")):
		return brokenf("%d bytes are told of %d", info.Size, len("first"))
	}
	if info.Modified != 0 {
		ahead := outside(time.Unix(0, info.Modified), from, to)
		p.report.Ahead = &ahead
	}
	return nil
}

// outside is how long after two moments a third one is, or before them: less than zero.
// Stores tell whole seconds.
func outside(at, from, to time.Time) time.Duration {
	switch from = from.Truncate(time.Second); {
	case at.Before(from):
		return at.Sub(from)
	case at.After(to.Add(time.Second)):
		return at.Sub(to)
	}
	return 0
}

// clock judges what was told when the first object was looked at.
func (p *probe) clock() error {
	switch ahead := p.report.Ahead; {
	case ahead == nil:
		return errNone
	case *ahead > FarOff:
		return brokenf("the storage's clock is ahead of this machine's by %s", ahead.Round(time.Second))
	case *ahead < -FarOff:
		return brokenf("the storage's clock is behind this machine's by %s", -ahead.Round(time.Second))
	}
	return nil
}

// listed are the names below a folder of the probe's.
func (p *probe) listed(folder string) (names []string, err error) {
	below := p.folder
	if folder != "" {
		below = p.key(folder)
	}
	for entry, err := range p.store.List(p.ctx, below) {
		if err != nil {
			return nil, err
		}
		names = append(names, entry.Key[len(below)+1:])
	}
	return names, nil
}

// lists wants these names below a folder, and no others.
func (p *probe) lists(folder string, want ...string) error {
	got, err := p.listed(folder)
	slices.Sort(want)
	if err == nil && !slices.Equal(got, want) {
		err = brokenf("what was written is not what is listed: %q instead of %q", got, want)
	}
	return err
}

// createAgain wants the first object to stay.
func (p *probe) createAgain() error {
	switch err := p.create("a", "not the first"); {
	case err == nil:
		return brokenf("an object that is there is written over: the storage ignores If-None-Match")
	case !errors.Is(err, warehouse.ErrExists):
		return err
	}
	return p.reads("a", "first")
}

// contenders create one key at the same moment.
const contenders = 8

// race wants one of them to win, and to be read.
func (p *probe) race() error {
	errs := make([]error, contenders)
	together(contenders, func(i int) { errs[i] = p.create("race", fmt.Sprint(i)) })
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner >= 0:
			return brokenf("several of those who create an object at the same moment succeed")
		case err == nil:
			winner = i
		case !errors.Is(err, warehouse.ErrExists):
			return err
		}
	}
	if winner < 0 {
		return brokenf("none of those who create an object at the same moment succeeds")
	}
	return p.reads("race", fmt.Sprint(winner))
}

// together does n things at once, and ends when all are done.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// first is the first error of several.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// oddNames are what tables and partitions may be called, some of which are one name to who
// encodes or decodes once too often.
var oddNames = []string{"a b", "a+b", "a%20b", "a%2Bb", "a#b", "a?b=c&d", "a=b;c:d@e,f", "ä✓𝄞", `'a'"<b>`, "A B"}

// oddKeys wants each of them to be a name of its own.
func (p *probe) oddKeys() error {
	errs := make([]error, len(oddNames))
	together(len(oddNames), func(i int) {
		if errs[i] = p.create("odd/"+oddNames[i], oddNames[i]); errors.Is(errs[i], warehouse.ErrExists) {
			errs[i] = brokenf("%q is there already: names are not kept apart", oddNames[i])
		}
	})
	if err := first(errs); err != nil {
		return err
	}
	together(len(oddNames), func(i int) { errs[i] = p.reads("odd/"+oddNames[i], oddNames[i]) })
	if err := first(errs); err != nil {
		return err
	}
	return p.lists("odd", slices.Clone(oddNames)...)
}

// gone wants nothing under a name.
func (p *probe) gone(name string) error {
	_, err := p.store.Get(p.ctx, p.key(name), mostBytes)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return nil
	case err == nil:
		return brokenf("what was deleted is still read: %q", p.key(name))
	}
	return err
}

// unlisted wants none of these names to be listed.
func (p *probe) unlisted(names ...string) error {
	got, err := p.listed("")
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.Contains(got, name) {
			return brokenf("what was deleted is still listed: %q", p.key(name))
		}
	}
	return nil
}

// deleteMany deletes all that is left by one request.
func (p *probe) deleteMany() error {
	batches, ok := p.store.(warehouse.Batches)
	if !ok {
		return errNone
	}
	names, err := p.listed("")
	if err != nil {
		return err
	}
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = p.key(name)
	}
	if err := first(batches.DeleteAll(p.ctx, keys)); err != nil {
		return err
	}
	return p.unlisted(names...)
}
