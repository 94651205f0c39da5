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
	if d.turn.Len() != len(d.where) || d.held > maxDocuments {
		t.Errorf("%d in use, %d known, %d held", d.turn.Len(), len(d.where), d.held)
	}
	had := d.turn.Len()
	d.keepForm(form{digestOf(0), "x"}, make([]byte, maxDocuments/5)) // weighs as much as what it is of
	if d.turn.Len() != had || d.held > maxDocuments {
		t.Errorf("a form takes no room: %d of %d, %d held", d.turn.Len(), had, d.held)
	}
	for _, digest := range []journal.Digest{digestOf(0), digestOf(77)} {
		d.forget(digest)
	}
	if _, ok := d.find(digestOf(0)); ok || d.turn.Len() != len(d.where) {
		t.Error("it is not forgotten")
	}
	if bytes, ok := d.findForm(form{digestOf(0), "x"}); !ok || len(bytes) != maxDocuments/5 {
		t.Error("the form is forgotten, too")
	}
}

// What is found between two turns is passed over once, whoever finds it.
func TestDocumentsThatAreFoundStay(t *testing.T) {
	var d documents
	big := func() *document { return &document{text: make([]byte, maxDocuments/10)} } // weighs a fifth
	d.keep(digestOf(0), big())
	for n := range byte(40) {
		if _, ok := d.find(digestOf(0)); !ok {
			t.Fatalf("gone after %d others", n)
		}
		d.keep(digestOf(n+1), big())
		if len(d.where) > 4 || d.turn.Len() != len(d.where) {
			t.Fatalf("%d are kept, %d in turn", len(d.where), d.turn.Len())
		}
	}
	for n := byte(41); n < 47; n++ {
		d.keep(digestOf(n), big())
	}
	if _, ok := d.find(digestOf(0)); ok {
		t.Error("what nobody asks for any more stays")
	}
}
