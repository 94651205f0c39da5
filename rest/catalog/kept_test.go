package catalog

import "testing"

// What is in memory is told, and how often it was what was asked for.
func TestKept(t *testing.T) {
	c := New(Options{})
	if k := c.Kept(); k != (Kept{}) {
		t.Errorf("a new catalog has %+v", k)
	}
	of := &document{text: make([]byte, 1000)}
	c.documents.find(digestOf(0))
	c.documents.keep(digestOf(0), of)
	c.documents.find(digestOf(0))
	c.documents.findForm(form{digestOf(0), "gzip"})
	if k, want := c.Kept(), (Kept{Bytes: of.weight(), Hits: 1, Misses: 2}); k != want {
		t.Errorf("got %+v, want %+v", k, want)
	}
}
