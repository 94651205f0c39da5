package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
)

func TestFormsAreMadeOnce(t *testing.T) {
	p := fresh(t)
	a, b := journal.Sum([]byte("a")), journal.Sum([]byte("b"))
	made := 0
	ask := func(of journal.Digest, name string, err error) (string, error) {
		bytes, failed := p.Form(of, name, func() ([]byte, error) {
			made++
			return []byte(name + of.String()), err
		})
		return string(bytes), failed
	}
	if _, err := ask(a, "x", errInjected); !errors.Is(err, errInjected) {
		t.Errorf("error: %v", err)
	}
	for range 2 {
		for _, of := range []journal.Digest{a, b} {
			for _, name := range []string{"x", "y"} {
				if got, err := ask(of, name, nil); err != nil || got != name+of.String() {
					t.Errorf("%s of %s: %q, %v", name, of, got, err)
				}
			}
		}
	}
	if made != 1+4 {
		t.Errorf("made %d times", made)
	}
}

// The snapshots that are referenced are those of the version that was loaded,
// parsed or not, whose uuid is in its file or not.
func TestReferencedSnapshots(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	for snapshot := range int64(3) {
		table, err := p.append(t, "t", snapshot+1)
		must(t, err)
		for _, c := range []struct {
			name string
			text func() ([]byte, error)
		}{
			{"parsed", func() ([]byte, error) { return p.ReferencedSnapshots(table) }},
			{"unknown", func() ([]byte, error) { return p.over(t, nothing).ReferencedSnapshots(table) }},
		} {
			text, err := c.text()
			must(t, err)
			if is := read(t, text); len(is.Snapshots) != 1 || is.Snapshots[0].ID != snapshot+1 || is.UUID != read(t, table.Metadata).UUID {
				t.Errorf("%s: %+v", c.name, is)
			}
		}
	}
}

func nothing(faulty.Op, string) faulty.Fault { return faulty.Fault{} }

// A commit puts its version in place of the one before, which nobody loads any
// more: memory is for what is current.
func TestVersionBeforeIsForgotten(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	var gets []string
	c := p.over(t, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get {
			gets = append(gets, key)
		}
		return faulty.Fault{}
	})
	before, err := c.LoadTable(ctx, id("t"))
	must(t, err)
	_, err = commitOver(t, c, cause, change(t, "t", "", set("k", "v")))
	must(t, err)
	_, err = c.LoadTable(ctx, id("t"))
	must(t, err)
	if len(gets) != 1 {
		t.Fatalf("read %q", gets)
	}
	pointer := journal.Pointer{
		MetadataLocation: before.MetadataLocation, Size: int64(len(before.Metadata)),
		SHA256: before.Digest, DocumentSHA256: before.Digest, Encoding: journal.EncodingNone,
	}
	_, err = c.TableAt(ctx, pointer)
	must(t, err)
	if len(gets) != 2 || !strings.HasSuffix(before.MetadataLocation, gets[1]) {
		t.Errorf("read %q", gets)
	}
}
