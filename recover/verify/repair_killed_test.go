package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"puddle/internal/warehouse/faulty"
	"puddle/recover/verify"
)

// TestRepairIsKilled ends the process at each step of a repair, before and after it
// took effect: nothing reaches the files from then on. Another run ends as if nothing
// had happened, and the evidence is never lost, at no time.
func TestRepairIsKilled(t *testing.T) {
	for _, changed := range []bool{false, true} {
		for step := 0; ; step++ {
			died := false
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("changed %t, step %d, after %t", changed, step, after), func(t *testing.T) {
					died = killedAt(t, changed, step, after) || died
				})
			}
			if !died {
				if step < 2 {
					t.Errorf("a repair has %d steps", step)
				}
				break
			}
		}
	}
}

func killedAt(t *testing.T, changed bool, step int, after bool) (died bool) {
	w := whole(t)
	o := w.object("b")
	was, nonsense := w.get(o.Pointer.MetadataLocation), []byte("nonsense")
	if changed {
		w.put(o.Pointer.MetadataLocation, nonsense)
	} else {
		w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
	}
	result, _ := w.run(w.subject(), 3)
	files, n, gone := w.files, 0, errors.New("the process is gone")
	w.files = faulty.New(files, func(faulty.Op, string) faulty.Fault {
		n++
		switch {
		case n-1 == step && after:
			died = true
			return faulty.After(gone)
		case n-1 >= step:
			died = true
			return faulty.Before(gone)
		}
		return faulty.Fault{}
	})
	w.must(verify.Repair{At: at}.Mend(t.Context(), w.subject(), result, &told{}))
	w.files = files
	lies, err := files.Get(t.Context(), w.key(o.Pointer.MetadataLocation), 1<<20)
	kept := w.aside(t)
	switch {
	case err == nil && bytes.Equal(lies, was):
	case changed && (err != nil || !bytes.Equal(lies, nonsense)):
		t.Errorf("there lies %q, %v", lies, err)
	case !changed && err == nil:
		t.Errorf("there lies %q, which is a part of it", lies)
	}
	if changed && bytes.Equal(lies, was) && len(kept) == 0 {
		t.Error("what lay there is lost")
	}
	w.mend(t, false)
	if !bytes.Equal(w.get(o.Pointer.MetadataLocation), was) {
		t.Error("the file is not what it was")
	}
	if kept = w.aside(t); changed != (len(kept) == 1) || changed && !bytes.Equal(kept[0], nonsense) {
		t.Errorf("kept %q", kept)
	}
	return died
}
