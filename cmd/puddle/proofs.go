package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"puddle/recover/verify"
	"puddle/rest"
)

// proofs is when each warehouse was last proven to be what its journal says, by
// its name and the level: what verify writes down and status reads. It proves
// nothing itself, and may be removed.
type proofs struct {
	Warehouses map[string]map[int]time.Time `json:"warehouses"`
}

func proofsFile(dataDir string) string { return filepath.Join(dataDir, "verified.json") }

// readProofs reads what was written down; nothing where there is no file.
func readProofs(dataDir string) (p proofs, err error) {
	data, err := os.ReadFile(proofsFile(dataDir))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return proofs{}, fmt.Errorf("%s: %w", proofsFile(dataDir), err)
	}
	return p, nil
}

// keepProof writes down that a run, which began then, found nothing. One that
// looked at a sample is not written down.
func (s *session) keepProof(dataDir string, asked verifyRequest, proven []verify.Summary, began time.Time) {
	if asked.Sample < 1 {
		return
	}
	p, err := readProofs(dataDir)
	if err != nil {
		p = proofs{} // it is only known to be old
	}
	if p.Warehouses == nil {
		p.Warehouses = map[string]map[int]time.Time{}
	}
	for _, w := range proven {
		if p.Warehouses[w.Warehouse] == nil {
			p.Warehouses[w.Warehouse] = map[int]time.Time{}
		}
		p.Warehouses[w.Warehouse][w.Level] = began.UTC().Truncate(time.Second)
	}
	if err := p.write(proofsFile(dataDir)); err != nil {
		fmt.Fprintf(s.stderr, "puddle: when this was proven is not written down: %v\n", err)
	}
}

// write replaces the file at once, for those who read it meanwhile.
func (p proofs) write(path string) error {
	data, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// proofs is when each level of a warehouse was proven last. A level proves those
// below it. Nothing that can be read is nothing proven.
func (n *node) proofs(warehouse string) []rest.Proof {
	kept, err := readProofs(n.config.DataDir)
	if err != nil {
		return nil
	}
	var all []rest.Proof
	for level := 1; level <= verify.MaxLevel; level++ {
		var last time.Time
		for at, when := range kept.Warehouses[warehouse] {
			if at >= level && when.After(last) {
				last = when
			}
		}
		if !last.IsZero() {
			all = append(all, rest.Proof{Level: level, At: last})
		}
	}
	return all
}
