package purge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/rest/catalog/purge"
)

// bucket is a store that does for many keys at once, and what it was asked for one.
type bucket struct {
	*memory.Store
	deletes []string // of all keys
	fails   func(key string) error
}

func (b *bucket) StatAll(ctx context.Context, keys []string) (infos []warehouse.Info, errs []error) {
	for _, key := range keys {
		info, err := b.Stat(ctx, key)
		infos, errs = append(infos, info), append(errs, err)
	}
	return infos, errs
}

func (b *bucket) DeleteAll(ctx context.Context, keys []string) (errs []error) {
	for _, key := range keys {
		err := b.fails(key)
		if b.deletes = append(b.deletes, key); err == nil {
			err = b.Store.Delete(ctx, key)
		}
		errs = append(errs, err)
	}
	return errs
}

// Delete is for marks.
func (b *bucket) Delete(ctx context.Context, key string) error {
	if !isMark(key) {
		return errors.New("one file is deleted alone")
	}
	return b.Store.Delete(ctx, key)
}

// In a store that deletes many at once no file is deleted alone, and the report is as
// elsewhere: what was gone is not counted and not deleted, what fails is named.
func TestPurgeAtOnce(t *testing.T) {
	w := fresh(t)
	b := &bucket{Store: memory.New(), fails: func(key string) error {
		switch {
		case strings.HasSuffix(key, "locked"):
			return warehouse.ErrDenied
		case strings.HasSuffix(key, "odd"):
			return warehouse.ErrExists
		}
		return nil
	}}
	w.files = b
	dead := plain("dead", root+"/a")
	missing := root + "/a/data/missing"
	for _, name := range []string{"locked", "odd"} {
		spots["data file"](dead, root+"/a/data/"+name)
		w.put(t, root+"/a/data/"+name, nil)
	}
	spots["data file"](dead, missing)
	w.dropped(t, dead)
	w.clock.now = w.clock.now.Add(w.grace)
	o := w.options(t)
	o.Batch = 100
	waits := outcomes(t, o, 1)[0]
	if waits.Result != purge.Waiting || !errors.Is(waits.Err, warehouse.ErrDenied) {
		t.Fatalf("the pass ended %s: %v", waits.Result, waits.Err)
	}
	left := []string{root + "/a/data/locked", root + "/a/data/odd"}
	for _, f := range dead.own {
		if !strings.Contains(f, "/data/") {
			left = append(left, f)
		}
	}
	w.wantLeft(t, left...)
	for _, key := range b.deletes {
		if strings.HasSuffix(key, "missing") {
			t.Error("what was gone is deleted again")
		}
	}
	b.fails = func(string) error { return nil }
	report := w.purged(t)
	w.wantLeft(t)
	if report.Failed != 0 || report.Kept != 0 || report.Removed != int64(len(left)) {
		t.Errorf("report %+v, want %d removed", report.Counts, len(left))
	}
}

// A store that gives up on a batch fails its files, and not the purge.
func TestPurgeAtOncePanics(t *testing.T) {
	w := fresh(t)
	w.files = &bucket{Store: memory.New(), fails: func(string) error { panic("no more") }}
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	w.clock.now = w.clock.now.Add(w.grace)
	waits := outcomes(t, w.options(t), 1)[0]
	if waits.Result != purge.Waiting || !strings.Contains(waits.Err.Error(), "the store gave up: no more") {
		t.Fatalf("the pass ended %s: %v", waits.Result, waits.Err)
	}
	w.wantLeft(t, dead.own...)
}
