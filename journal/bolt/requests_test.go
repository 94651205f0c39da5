package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// conflict is an answer that made no event, under a key of its own.
func conflict(key string) journal.Answer {
	return journal.Answer{
		Request: journal.Request{
			Actor: journal.Anonymous, Key: key + strings.Repeat("-", journal.MinKeyBytes), Route: "POST /v1/lake/tables",
			Until: journaltest.Start.Add(time.Hour),
		},
		Status: 409, Body: []byte("{}"),
	}
}

// A request that is damaged is reported, and blocks no other.
func TestDamagedRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, 3)
	one, two, three := conflict("one"), conflict("two"), conflict("three")
	remember := func(j *bolt.Journal, answers ...journal.Answer) error {
		return j.Remember(t.Context(), lake, journaltest.Start, answers...)
	}
	j := open(t, path)
	if err := errors.Join(remember(j, one, two, three), j.Close()); err != nil {
		t.Fatal(err)
	}
	change(t, path, func(tx *bbolt.Tx) error {
		b, first, second := bucket(tx, lake, "requests"), one.Digest(), two.Digest()
		flipped := bytes.Clone(b.Get(first[:]))
		flipped[len(flipped)-1] ^= 1
		return errors.Join(b.Put(second[:], b.Get(first[:])), b.Put(first[:], flipped)) // that of another one, a flipped one
	})
	j = open(t, path)
	for _, a := range []journal.Answer{one, two} {
		_, _, err := j.Warehouse(lake).Answered(t.Context(), a.Actor, a.Key, journaltest.Start)
		wantDamageAt(t, "answered", err, 0)
		wantDamageAt(t, "remember", remember(j, a), 0)
	}
	if _, ok, err := j.Warehouse(lake).Answered(t.Context(), three.Actor, three.Key, journaltest.Start); !ok || err != nil {
		t.Errorf("a whole one: %v, %v", ok, err)
	}
	if err := remember(j, conflict("four")); err != nil {
		t.Error(err)
	}
}

// A file of a build that stored no requests opens and takes them.
func TestFileWithoutRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	if err := os.WriteFile(path, readFrozen(t, "journal.db"), 0o600); err != nil {
		t.Fatal(err)
	}
	if dump := dump(t, path); strings.Contains(dump, "/requests") || strings.Contains(dump, "/expiries") {
		t.Fatal("the frozen file has requests")
	}
	a, r := conflict("one"), firstFrozen[0]
	j := open(t, path)
	if _, ok, err := j.Warehouse(r).Answered(t.Context(), a.Actor, a.Key, journaltest.Start); ok || err != nil {
		t.Errorf("before the first: %v, %v", ok, err)
	}
	if err := j.Remember(t.Context(), r, journaltest.Start, a); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := j.Warehouse(r).Answered(t.Context(), a.Actor, a.Key, journaltest.Start); !ok || err != nil {
		t.Errorf("after it: %v, %v", ok, err)
	}
	wantError(t, "of a warehouse that is not there", j.Remember(t.Context(), uuid.New(), journaltest.Start, a), journal.ErrNoWarehouse)
}

func TestRememberReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, 3)
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	wantError(t, "remember", j.Remember(t.Context(), lake, journaltest.Start, conflict("one")), journal.ErrClosed)
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
