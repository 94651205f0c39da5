package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
)

// TestDecodeAnswerIsStrict changes one thing of a frozen answer at a time.
func TestDecodeAnswerIsStrict(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(frozen, "answer-body.txt"))
	if err != nil {
		t.Fatal(err)
	}
	frozen := string(data)
	for what, c := range map[string]struct {
		old, new string
		want     error
	}{
		"no line end":         {"}\n{", "}{", journal.ErrRequest},
		"a space":             {`"v":1`, `"v": 1`, journal.ErrRequest},
		"an unknown field":    {`"v":1`, `"v":1,"w":1`, journal.ErrRequest},
		"another order":       {`"until":1772368200000,"v":1`, `"v":1,"until":1772368200000`, journal.ErrRequest},
		"a field left out":    {`"key":"` + goldKey + `",`, "", journal.ErrRequest},
		"a field that is 0":   {`"status"`, `"seq":0,"status"`, journal.ErrRequest},
		"an event as well":    {`"status"`, `"seq":7,"status"`, journal.ErrRequest},
		"no status":           {`"status":409,`, "", journal.ErrRequest},
		"a status of nothing": {`"status":409`, `"status":99`, journal.ErrRequest},
		"version 0":           {`"v":1`, `"v":0`, journal.ErrRequest},
		"version 2":           {`"v":1`, `"v":2`, journal.ErrNewer},
		"version 2, a field":  {`"v":1`, `"sig":"x","v":2`, journal.ErrNewer},
	} {
		if !strings.Contains(frozen, c.old) {
			t.Errorf("%s: the answer does not hold %s", what, c.old)
		}
		if _, err := journal.DecodeAnswer([]byte(strings.Replace(frozen, c.old, c.new, 1))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	for _, data := range []string{"", "\n", "null\n", "{}\n", "[]\n{}"} {
		if _, err := journal.DecodeAnswer([]byte(data)); !errors.Is(err, journal.ErrRequest) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// No two pairs of actor and key are kept under one digest.
func TestRequestDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[ab:]{0,4}")
		one := journal.Request{Actor: journal.Actor(text.Draw(t, "actor")), Key: text.Draw(t, "key")}
		two := journal.Request{Actor: journal.Actor(text.Draw(t, "other actor")), Key: text.Draw(t, "other key")}
		if same := one.Actor == two.Actor && one.Key == two.Key; same != (one.Digest() == two.Digest()) {
			t.Fatalf("%q %q and %q %q", one.Actor, one.Key, two.Actor, two.Key)
		}
	})
}
