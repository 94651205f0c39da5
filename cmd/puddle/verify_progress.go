package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/recover/verify"
)

// progressFormat is the version of what is kept of a verification that did not end.
//
//	1: the first.
const progressFormat = 1

// What was looked at proves something about the disk of that day.
const progressLasts = 7 * 24 * time.Hour

// saveEvery is how often it is written, at most; and at most a twentieth of the time is
// spent on it.
const saveEvery = 2 * time.Second

func progressPath(dataDir string) string { return filepath.Join(dataDir, "verify-progress.json") }

// progressFile keeps how far a verification is, for verify --resume. One goroutine
// uses it. With no path nothing is kept.
type progressFile struct {
	path     string
	unusable string // why no earlier run is gone on with, where that was asked for

	state keptProgress
	next  time.Time // it is written not before
}

type keptProgress struct {
	Format     int               `json:"format"`
	Asked      verifyRequest     `json:"asked"`
	Began      time.Time         `json:"began"`
	Saved      time.Time         `json:"saved"`
	Warehouses []verify.Progress `json:"warehouses"`
}

// begin goes on with an earlier run where that is asked for and can be; its sample is
// then taken over. It answers when the run began.
func (f *progressFile) begin(asked *verifyRequest, now time.Time) time.Time {
	f.state = keptProgress{Format: progressFormat, Asked: *asked, Began: now}
	if !asked.Resume {
		return now
	}
	kept, err := f.read()
	if err == nil {
		err = kept.suits(*asked, now)
	}
	if err != nil {
		f.unusable = err.Error() + "; it began anew"
		return now
	}
	f.state.Warehouses, f.state.Began = kept.Warehouses, kept.Began
	asked.Seed, f.state.Asked.Seed = kept.Asked.Seed, kept.Asked.Seed
	return kept.Began
}

func (f *progressFile) read() (kept keptProgress, err error) {
	data, err := os.ReadFile(f.path)
	if f.path == "" || errors.Is(err, fs.ErrNotExist) {
		return kept, errors.New("no run was stopped")
	}
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		return kept, fmt.Errorf("%s does not read: %w", f.path, err)
	}
	return kept, nil
}

// suits tells why a run is not to be gone on with.
func (k keptProgress) suits(asked verifyRequest, now time.Time) error {
	switch {
	case k.Format != progressFormat:
		return fmt.Errorf("what was kept of the last run is of format %d", k.Format)
	case k.Asked.Warehouse != asked.Warehouse || k.Asked.Level != asked.Level || k.Asked.Sample != asked.Sample:
		return fmt.Errorf("the run that was stopped was of another warehouse, level or sample (--level %d --sample %g%%)", k.Asked.Level, 100*k.Asked.Sample)
	case now.Sub(k.Saved) > progressLasts:
		return fmt.Errorf("the run that was stopped is of %s, which is too long ago", k.Saved.Format(time.RFC3339))
	}
	return nil
}

// of is how far the run over a warehouse came; nil when it had not begun.
func (f *progressFile) of(warehouse uuid.UUID) *verify.Progress {
	for i := range f.state.Warehouses {
		if f.state.Warehouses[i].Warehouse == warehouse {
			return &f.state.Warehouses[i]
		}
	}
	return nil
}

// reached takes note of how far a warehouse is.
func (f *progressFile) reached(p verify.Progress) {
	if f.path == "" {
		return
	}
	if held := f.of(p.Warehouse); held != nil {
		*held = p
	} else {
		f.state.Warehouses = append(f.state.Warehouses, p)
	}
	if began := time.Now(); began.After(f.next) {
		// What cannot be written only costs that a later run begins anew.
		_ = f.write()
		took := time.Since(began)
		f.next = time.Now().Add(max(saveEvery, 20*took))
	}
}

// end keeps a run that was stopped, and forgets one that has looked at all.
func (f *progressFile) end(all bool) error {
	switch {
	case f.path == "":
		return nil
	case all:
		err := os.Remove(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	case len(f.state.Warehouses) == 0:
		return nil
	}
	return f.write()
}

// write replaces the file at once: a run that is killed meanwhile leaves the one before.
func (f *progressFile) write() error {
	f.state.Saved = time.Now()
	data, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	next := f.path + ".tmp"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, f.path)
}
