package catalog

import (
	"testing"

	"puddle/journal"
)

func digestOf(n byte) journal.Digest { return journal.Sum([]byte{n}) }

// What was used last stays; what weighs too much is never taken in.
func TestDocumentsAreBounded(t *testing.T) {
	var d documents
	big := func() *document { return &document{text: make([]byte, maxDocuments/10)} } // weighs a fifth
	for n := range byte(4) {
		d.keep(digestOf(n), big())
	}
	if _, ok := d.find(digestOf(0)); !ok {
		t.Fatal("gone before there was need")
	}
	d.keep(digestOf(4), big())
	for n, want := range map[byte]bool{0: true, 1: false, 2: true, 3: true, 4: true} {
		if _, ok := d.find(digestOf(n)); ok != want {
			t.Errorf("document %d: there %t, want %t", n, ok, want)
		}
	}
	d.keep(digestOf(9), &document{text: make([]byte, maxDocuments/4)})
	if _, ok := d.find(digestOf(9)); ok || d.held > maxDocuments {
		t.Errorf("too large: there %t, %d held", ok, d.held)
	}
	for range 100 {
		d.keep(digestOf(0), big())
	}
	if d.used.Len() != len(d.where) || d.held > maxDocuments {
		t.Errorf("%d in use, %d known, %d held", d.used.Len(), len(d.where), d.held)
	}
}
