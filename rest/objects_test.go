package rest

import (
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"puddle/journal"
)

// A list is what a writer of JSON makes of its entries.
func TestListIsJSON(t *testing.T) {
	type list struct {
		Identifiers []journal.Identifier `json:"identifiers"`
		Next        string               `json:"next-page-token,omitempty"`
	}
	rapid.Check(t, func(t *rapid.T) {
		in := journal.Namespace(rapid.SliceOfN(rapid.StringN(1, 9, -1), 1, 4).Draw(t, "namespace"))
		names := rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "names")
		want := list{Next: rapid.SampledFrom([]string{"", "token"}).Draw(t, "next")}
		for _, name := range names {
			want.Identifiers = append(want.Identifiers, journal.Identifier{Namespace: in, Name: name})
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(objectList(in, names, want.Next).bytes()); got != string(text) {
			t.Errorf("%s, want %s", got, text)
		}
	})
}
