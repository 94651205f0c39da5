package bolt_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// flawsOf is all that is found in a closed journal, and what a reader sees of it.
func flawsOf(t *testing.T, path string) (flaws []journal.Flaw, content string) {
	t.Helper()
	found := func(f journal.Flaw) {
		if f.Absent != nil {
			content += fmt.Sprintln("not kept", f.Seq, f.Absent.Move)
			return
		}
		flaws = append(flaws, f)
	}
	if err := bolt.CheckPages(t.Context(), path, found); err != nil {
		t.Fatal(err)
	}
	for _, f := range flaws {
		if !f.Torn {
			return flaws, "" // its pages may lead anywhere
		}
	}
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		return append(flaws, journal.Flaw{Damage: journal.Damage{Reason: err.Error()}}), ""
	}
	defer j.Close()
	if _, err := j.Audit(t.Context(), lake, found); err != nil {
		found(journal.Flaw{Damage: journal.Damage{Reason: err.Error()}})
	}
	for e, err := range j.Warehouse(lake).Scan(t.Context(), 0) {
		content += fmt.Sprintln(e.Position, err)
		if err != nil {
			break
		}
		for i := range e.Moves() {
			text, err := j.Warehouse(lake).Document(t.Context(), e.Seq, i)
			content += fmt.Sprintln(journal.Sum(text), err)
		}
		answer, ok, err := j.Warehouse(lake).Answered(t.Context(), journal.Anonymous, requestKey(int(e.Seq)-1), e.At)
		content += fmt.Sprintln(answer, ok, err)
	}
	return flaws, content
}

// put changes one byte of a file.
func put(t *testing.T, path string, at int, b byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte{b}, int64(at)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func requestKey(i int) string { return fmt.Sprintf("%036d", i) }

// withRequests is a closed journal of every kind of bucket, after some history of
// free pages.
func withRequests(t *testing.T, path string, n int) []journal.Entry {
	t.Helper()
	entries := history(t, lake, n)
	j := open(t, path)
	for i, e := range entries {
		journaltest.Append(t, j, []journal.Entry{e})
		err := j.Remember(t.Context(), lake, e.Event.At, journal.Answer{Status: 404, Body: []byte("no"), Request: journal.Request{
			Actor: journal.Anonymous, Key: requestKey(i), Route: "POST /x", Until: e.Event.At.Add(time.Hour),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestCase155_EveryFlipIsFound flips bits all over the file of a journal: each is
// found, or changes nothing that anybody reads.
func TestCase155_EveryFlipIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 9)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole = bytes.TrimRight(whole, "\x00") // the file grows ahead of what is in it
	flaws, content := flawsOf(t, path)
	if len(flaws) > 0 {
		t.Fatalf("a whole journal: %v", flaws)
	}
	stride := 67
	if testing.Short() {
		stride = 997
	}
	found, idle := 0, 0
	for at := 0; at < len(whole); at += stride {
		put(t, path, at, whole[at]^1<<(at/stride%8))
		flaws, seen := flawsOf(t, path)
		put(t, path, at, whole[at])
		switch {
		case len(flaws) > 0:
			found++
		case seen != content:
			t.Errorf("the flip in byte %d is not found, and changes what is read", at)
		default:
			idle++
		}
	}
	if found == 0 {
		t.Error("no flip is found")
	}
	t.Logf("%d bytes: %d flips found, %d in bytes that hold nothing", len(whole), found, idle)
}

// TestPagesOfAGrownJournal finds nothing in files of many pages.
func TestPagesOfAGrownJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 200)
	if flaws, _ := flawsOf(t, path); len(flaws) > 0 {
		t.Errorf("found %v", flaws)
	}
	change(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("puddle")) })
	if err := bolt.CheckPages(t.Context(), path, func(f journal.Flaw) { t.Error(f) }); err != nil {
		t.Error(err)
	}
}

// TestCase153_TornMark cuts the meta page of the last transaction: the one before it is
// the last, all of it is there, and that something is missing is told.
func TestCase153_TornMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := history(t, lake, 5)
	filled := open(t, path)
	for _, e := range entries {
		journaltest.Append(t, filled, []journal.Entry{e})
	}
	if err := filled.Close(); err != nil {
		t.Fatal(err)
	}
	if reason, err := bolt.Torn(path); reason != "" || err != nil {
		t.Fatalf("a whole file: %s %v", reason, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for page := range 2 { // that of the newer transaction
		if txid := func(page int) int { return page*os.Getpagesize() + 16 + 48 }; whole[txid(page)] > whole[txid(last)] {
			last = page
		}
	}
	put(t, path, last*os.Getpagesize()+16+48, whole[last*os.Getpagesize()+16+48]+2)
	flaws, _ := flawsOf(t, path)
	if len(flaws) != 1 || !flaws[0].Torn {
		t.Errorf("found %v", flaws)
	}
	if reason, err := bolt.Torn(path); reason == "" || err != nil {
		t.Errorf("torn: %q %v", reason, err)
	}
	j := open(t, path)
	head, err := j.Warehouse(lake).Head(t.Context())
	if err != nil || head.Seq >= entries[4].Event.Seq {
		t.Errorf("the head is %s, %v", head, err)
	}
	journaltest.Append(t, j, entries[head.Seq:])
}

// TestCase155_HugeMeta is told and not believed: a whole meta page of more pages than
// any file can have.
func TestCase155_HugeMeta(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	withRequests(t, path, 3)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := range 2 {
		meta := data[page*os.Getpagesize()+16:]
		binary.NativeEndian.PutUint64(meta[40:], 1<<63)
		sum := fnv.New64a()
		sum.Write(meta[:56])
		binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	if err := bolt.CheckPages(t.Context(), path, func(f journal.Flaw) { reasons = append(reasons, f.Reason) }); err != nil {
		t.Fatal(err)
	}
	if len(reasons) != 1 || !strings.Contains(reasons[0], "9223372036854775808 pages") {
		t.Errorf("found %q", reasons)
	}
}
