package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"puddle/internal/warehouse/faulty"
	"puddle/recover/verify"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestRepair mends whatever happened to a file, byte for byte, gzip files too, keeps
// what lay there, and has nothing to do the second time.
func TestRepair(t *testing.T) {
	for _, c := range damages {
		if c.level != 3 {
			continue
		}
		for _, table := range []string{"b", "gzip"} {
			if c.name == "of another table" && table == "gzip" {
				continue // its own file
			}
			t.Run(c.name+" "+table, func(t *testing.T) {
				w := whole(t)
				o := w.object(table)
				was := w.get(o.Pointer.MetadataLocation)
				c.damage(w, o)
				lay, _ := w.files.Get(t.Context(), w.key(o.Pointer.MetadataLocation), 1<<20)
				w.mend(t, true)
				if now, _ := w.files.Get(t.Context(), w.key(o.Pointer.MetadataLocation), 1<<20); !bytes.Equal(now, lay) {
					t.Error("a dry run changed the file")
				}
				w.mend(t, false)
				w.mend(t, false)
				if !bytes.Equal(w.get(o.Pointer.MetadataLocation), was) {
					t.Error("the file is not what it was")
				}
				kept := w.aside(t)
				if gone := c.name == "gone"; gone != (len(kept) == 0) || !gone && (len(kept) != 1 || !bytes.Equal(kept[0], lay)) {
					t.Errorf("kept %q", kept)
				}
				if _, s := w.run(w.subject(), 4); len(s.kinds()) > 0 {
					t.Errorf("found afterwards: %v", s.findings)
				}
			})
		}
	}
}

func (w *world) mend(t *testing.T, dry bool) {
	t.Helper()
	result, _ := w.run(w.subject(), 3)
	s := &told{}
	w.must(verify.Repair{DryRun: dry, At: at}.Mend(t.Context(), w.subject(), result, s))
	if len(s.findings) != len(result.Broken) || len(s.unseen) > 0 {
		t.Errorf("mended %v, %v", s.findings, s.unseen)
	}
}

// aside is what lies in the warehouse under the names of what was set aside.
func (w *world) aside(t *testing.T) (all [][]byte) {
	t.Helper()
	for e, err := range w.files.List(t.Context(), "") {
		w.must(err)
		if strings.Contains(e.Key, ".broken-") {
			data, err := w.files.Get(t.Context(), e.Key, 1<<20)
			w.must(err)
			all = append(all, data)
		}
	}
	return all
}

// TestRepairFaults has each step of a repair fail, before and after it took effect:
// run again, it ends as if nothing had happened, and the evidence is never lost.
func TestRepairFaults(t *testing.T) {
	broken := errors.New("broken")
	for _, changed := range []bool{false, true} {
		for step := 0; ; step++ {
			failed := false
			for name, fault := range map[string]faulty.Fault{"before": faulty.Before(broken), "after": faulty.After(broken)} {
				t.Run(fmt.Sprintf("changed %t, step %d %s", changed, step, name), func(t *testing.T) {
					failed = failingAt(t, changed, step, fault) || failed
				})
			}
			if !failed {
				break
			}
		}
	}
}

func failingAt(t *testing.T, changed bool, step int, fault faulty.Fault) (failed bool) {
	w := whole(t)
	o := w.object("b")
	was := w.get(o.Pointer.MetadataLocation)
	if changed {
		w.put(o.Pointer.MetadataLocation, []byte("nonsense"))
	} else {
		w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
	}
	result, _ := w.run(w.subject(), 3)
	files, n := w.files, 0
	w.files = faulty.New(files, func(faulty.Op, string) faulty.Fault {
		n++
		if n-1 == step {
			failed = true
			return fault
		}
		return faulty.Fault{}
	})
	s := &told{}
	w.must(verify.Repair{At: at}.Mend(t.Context(), w.subject(), result, s))
	if failed && len(s.unseen) == 0 && len(s.findings) == 0 {
		t.Error("a failure is not told")
	}
	w.files = files
	w.mend(t, false)
	if !bytes.Equal(w.get(o.Pointer.MetadataLocation), was) {
		t.Error("the file is not what it was")
	}
	kept := w.aside(t)
	if changed != (len(kept) == 1) || changed && string(kept[0]) != "nonsense" {
		t.Errorf("kept %q", kept)
	}
	return failed
}
