package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
)

// reserveBytes is what the reserve keeps from others, and once more what must be
// free before it is made anew.
const reserveBytes = 8 << 20

// reserve is a file beside the journal, or the pointer tables, that holds nothing. When the disk is full it
// is given back, so that the pointer tables can be brought up, an outcome be looked
// up and the server be stopped cleanly; changes are refused until there is room to
// make it again.
type reserve struct {
	path string
	log  zerolog.Logger
	free func() (int64, error) // on its disk

	mu    sync.Mutex
	spent bool // guarded by mu
	fresh bool // guarded by mu: there was none, and nothing was refused for it
}

// reserves are those of one node, one for each disk that changes need.
type reserves []*reserve

// findReserves finds the reserves of a node that serves. They are made by watch,
// once the start is not refused any more.
func (n *node) findReserves(context.Context) error {
	c := n.config
	if n.purpose != serving || c.Metastore.Type != config.SQLite {
		return nil
	}
	n.reserves = reserves{n.findReserve(c.Journal.Path)}
	if filepath.Dir(c.Metastore.SQLitePath) != filepath.Dir(c.Journal.Path) {
		n.reserves = append(n.reserves, n.findReserve(c.Metastore.SQLitePath))
	}
	return nil
}

func (n *node) findReserve(beside string) *reserve {
	path := beside + ".reserve"
	info, err := os.Stat(path)
	r := &reserve{path: path, log: n.log, free: func() (int64, error) {
		d := disk{path: filepath.Dir(path)}.room()
		return d.Free, d.Err
	}}
	r.fresh = errors.Is(err, os.ErrNotExist)
	r.spent = err != nil || info.Size() != reserveBytes
	return r
}

// spend gives the room back when an error says that a disk is full, or comes while
// next to nothing is free on it: not every error tells.
func (all reserves) spend(reason error) (spent bool) {
	for _, r := range all {
		if isFull(reason) || reason != nil && r.tight() {
			spent = r.spend(reason) || spent
		}
	}
	return spent
}

// admit tells whether changes are taken.
func (all reserves) admit() error {
	for _, r := range all {
		if err := r.admit(); err != nil {
			return err
		}
	}
	return nil
}

// tightBytes is so little that any write may have failed for it.
const tightBytes = 1 << 20

func (r *reserve) tight() bool {
	free, err := r.free()
	return err == nil && free < tightBytes
}

func (r *reserve) spend(reason error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spent {
		return false
	}
	r.spent = true
	err := os.Truncate(r.path, 0)
	r.log.Error().AnErr("reserve", err).Err(reason).Msg("the disk is full: the reserve is given back, changes are refused until there is room")
	return true
}

// admit tells whether changes are taken: ENOSPC while the reserve is spent and
// there is no room to make it again.
func (r *reserve) admit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.spent {
		return nil
	}
	fresh := r.fresh
	r.fresh = false
	free, err := r.free()
	if err != nil {
		return err
	}
	if free < 2*reserveBytes {
		return fmt.Errorf("%w: %d bytes are free on the disk of %s, changes need %d", syscall.ENOSPC, free, r.path, 2*reserveBytes)
	}
	if err := fillReserve(r.path); err != nil {
		return errors.Join(err, os.Truncate(r.path, 0))
	}
	r.spent = false
	if !fresh {
		r.log.Info().Str("reserve", r.path).Msg("there is room: changes are taken")
	}
	return nil
}

// fillReserve writes the file, so that its room is taken, also where the file
// system would not do so for a hole.
func fillReserve(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	chunk := make([]byte, 1<<20)
	for range reserveBytes / len(chunk) {
		if _, err := file.Write(chunk); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return errors.Join(file.Sync(), file.Close())
}

// isFull tells whether a disk or a quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// roomy is a journal that takes nothing while a reserve is spent.
type roomy struct {
	journal.Journal
	reserves reserves
}

// Append implements journal.Writer.
func (j roomy) Append(ctx context.Context, entries ...journal.Entry) error {
	if err := j.reserves.admit(); err != nil {
		return err
	}
	err := j.Journal.Append(ctx, entries...)
	j.reserves.spend(err)
	return err
}

// Remember implements journal.Writer.
func (j roomy) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	if err := j.reserves.admit(); err != nil {
		return err
	}
	err := j.Journal.Remember(ctx, warehouse, now, answers...)
	j.reserves.spend(err)
	return err
}
