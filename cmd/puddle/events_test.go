package main

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
)

// What log shows of the events that operators and the purge make.
func TestRowsOfEvents(t *testing.T) {
	for text, want := range map[string]string{
		`{"seq":9,"at":"T","kind":"table-purged","actor":"system:purge","purged":{"table":"U","removed":7,"kept":2,"failed":1},"moves":[]}`: "[[9 T table-purged system:purge U 7 removed, 2 kept, 1 failed]]",

		`{"seq":8,"at":"T","kind":"table-repointed","actor":"cli:ana","reason":"bad load","moves":[{"identifier":{"name":"t","namespace":["n"]},
			"from":{"identifier":{"name":"t","namespace":["n"]},"metadata-location":"w/1.json"},
			"to":{"identifier":{"name":"t","namespace":["n"]},"metadata-location":"w/0.json"}}]}`: "[[8 T table-repointed cli:ana n.t 1.json → 0.json (bad load)]]",

		`{"seq":1000002,"at":"T","kind":"history-imported","actor":"cli:ana","moves":[],"imported":[
			{"seq":4,"at":"A","event":"table-created","actor":"token:b","identifier":{"name":"t","namespace":["n"]},
				"to":{"identifier":{"name":"t","namespace":["n"]},"metadata-location":"w/0.json"}},
			{"seq":5,"at":"B","event":"table-dropped","actor":"token:c","identifier":{"name":"t","namespace":["n"]},
				"from":{"identifier":{"name":"t","namespace":["n"]},"metadata-location":"w/0.json"}}]}`: "[[1000002 T history-imported cli:ana  2 old moves] [ B   5 table-dropped token:c n.t 0.json →] [ A   4 table-created token:b n.t → 0.json]]",

		`{"seq":1,"at":"T","kind":"incarnation-started","actor":"system:start","reason":"birth","moves":[]}`: "[[1 T incarnation-started system:start birth ]]",
	} {
		var e event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(e.rows()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
