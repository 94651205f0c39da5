package bolt_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// frozen is where the bytes are that every later build must read (law 9). Files
// are added there and never changed.
const frozen = "../../fixtures/formats/v1"

func readFrozen(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(frozen, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The warehouses of the first frozen journal.
var firstFrozen = []uuid.UUID{
	uuid.MustParse("6f3b1c52-9a0e-4d57-8f21-0c4de7a1b2c3"),
	uuid.MustParse("b81e4f70-2c3d-4a5b-9e6f-1a2b3c4d5e6f"),
}

// frozenEntries are the frozen records of some warehouses, with the frozen
// documents.
func frozenEntries(t *testing.T, of ...uuid.UUID) []journal.Entry {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(frozen, "record-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []journal.Entry
	for _, path := range names {
		name := filepath.Base(path)
		var prev journal.Digest
		var text string
		if _, err := fmt.Sscanf(string(readFrozen(t, strings.TrimSuffix(name, ".json")+".txt")), "prev %s", &text); err != nil {
			t.Fatal(err)
		}
		if prev, err = journal.ParseDigest(text); err != nil {
			t.Fatal(err)
		}
		record := readFrozen(t, name)
		e, err := journal.Decode(prev, record)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(of, e.Warehouse) {
			continue
		}
		entry := journal.Entry{Event: e, Record: record}
		switch name {
		case "record-table-created.json":
			entry.Documents = []journal.Document{{Codec: journal.CodecWholeZstd, Data: readFrozen(t, "document-whole-zstd.zst")}}
		case "record-table-registered.json":
			entry.Documents = []journal.Document{{Codec: journal.CodecRaw, Data: readFrozen(t, "document-raw.gz")}}
		case "record-view-created.json":
			entry.Request = &frozenAnswer(t, "answer-event.txt").Request
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b journal.Entry) int { return cmp.Compare(a.Event.Seq, b.Event.Seq) })
	return entries
}

func frozenAnswer(t *testing.T, name string) *journal.Answer {
	t.Helper()
	a, err := journal.DecodeAnswer(readFrozen(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return &a
}

// TestFrozenJournal: the frozen files hold, key by key, what this build would
// store, and this build reads them and goes on writing them.
func TestFrozenJournal(t *testing.T) {
	t.Run("journal", func(t *testing.T) { testFrozen(t, "journal", frozenEntries(t, firstFrozen...)) })
	cove := uuid.MustParse("2d5e8c31-74a6-4f0b-b1c9-53e0a87f6d24")
	t.Run("journal-requests", func(t *testing.T) {
		testFrozen(t, "journal-requests", frozenEntries(t, cove), *frozenAnswer(t, "answer-body.txt"), *frozenAnswer(t, "answer-bare.txt"))
	})
}

func testFrozen(t *testing.T, name string, entries []journal.Entry, answers ...journal.Answer) {
	dir := t.TempDir()
	now := filepath.Join(dir, "now.db")
	j := open(t, now)
	journaltest.Append(t, j, entries)
	if len(answers) > 0 {
		if err := j.Remember(t.Context(), entries[0].Event.Warehouse, entries[0].Event.At, answers...); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	freeze(t, name, now)
	want := string(readFrozen(t, name+".txt"))
	if diff := gocmp.Diff(want, dump(t, now)); diff != "" {
		t.Errorf("stored now (-frozen +got):\n%s", diff)
	}

	then := filepath.Join(dir, "then.db")
	if err := os.WriteFile(then, readFrozen(t, name+".db"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, dump(t, then)); diff != "" {
		t.Errorf("stored then (-listed +stored):\n%s", diff)
	}
	for _, o := range []bolt.Options{{ReadOnly: true}, {}} {
		wantFrozenEvents(t, then, o, entries)
		wantFrozenAnswers(t, then, o, entries, answers)
	}
}

// freeze writes a frozen journal that is missing, for a look and a commit; one
// that is there is never written again.
func freeze(t *testing.T, name, path string) {
	t.Helper()
	for target, write := range map[string]func(io.Writer) error{
		name + ".txt": func(w io.Writer) error {
			_, err := io.WriteString(w, dump(t, path))
			return err
		},
		name + ".db": func(w io.Writer) error { return copyPages(path, w) },
	} {
		f, err := os.OpenFile(filepath.Join(frozen, target), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			continue
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s was missing and is written now", target)
	}
}

// copyPages copies a bbolt file without the hole at its end.
func copyPages(path string, w io.Writer) error {
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

func wantFrozenAnswers(t *testing.T, path string, o bolt.Options, entries []journal.Entry, answers []journal.Answer) {
	t.Helper()
	j, err := bolt.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, e := range entries {
		if e.Request != nil {
			answers = append(answers, journal.Answer{Request: *e.Request, Seq: e.Event.Seq})
		}
	}
	for _, want := range answers {
		got, ok, err := j.Warehouse(entries[0].Event.Warehouse).Answered(t.Context(), want.Actor, want.Key, entries[0].Event.At)
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); !ok || err != nil || diff != "" {
			t.Errorf("answer to %s: %v, %v (-frozen +read):\n%s", want.Key, ok, err, diff)
		}
	}
}

func wantFrozenEvents(t *testing.T, path string, o bolt.Options, entries []journal.Entry) {
	t.Helper()
	j, err := bolt.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ids, err := j.Warehouses(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byWarehouse := make(map[uuid.UUID][]journal.Position)
	for _, e := range entries {
		byWarehouse[e.Event.Warehouse] = append(byWarehouse[e.Event.Warehouse], e.Event.Position)
		if len(e.Documents) == 0 {
			continue
		}
		got, err := j.Warehouse(e.Event.Warehouse).Document(t.Context(), e.Event.Seq, 0)
		if err != nil || !bytes.Equal(got, readFrozen(t, "document-whole-zstd.json")) {
			t.Errorf("frozen document = %q, %v", got, err)
		}
	}
	if len(ids) != len(byWarehouse) {
		t.Errorf("warehouses = %v", ids)
	}
	for _, id := range ids {
		var got []journal.Position
		for _, e := range journaltest.Events(t, j.Warehouse(id), 0) {
			got = append(got, e.Position)
		}
		if diff := gocmp.Diff(byWarehouse[id], got); diff != "" {
			t.Errorf("warehouse %s (-frozen +read):\n%s", id, diff)
		}
	}
}

// dump lists every key of a bbolt file with its value, a line each: words as they
// are, bytes in hexadecimal, the parts of an event apart and its record as text,
// those of an answer apart and its body quoted.
func dump(t *testing.T, path string) string {
	t.Helper()
	db, err := bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var lines strings.Builder
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error { return dumpBucket(&lines, word(name), b) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func dumpBucket(lines *strings.Builder, path string, b *bbolt.Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		name := path + "/" + word(key)
		switch {
		case value == nil:
			return dumpBucket(lines, name, b.Bucket(key))
		case strings.HasSuffix(path, "/events"):
			fmt.Fprintf(lines, "%s %x %x %s\n", name, value[:4], value[4:36], value[36:])
		case strings.HasSuffix(path, "/requests"):
			header, body, _ := bytes.Cut(value[4:], []byte("\n"))
			fmt.Fprintf(lines, "%s %x %s %q\n", name, value[:4], header, body)
		case len(value) == 0:
			fmt.Fprintln(lines, name)
		default:
			fmt.Fprintf(lines, "%s %x\n", name, value)
		}
		return nil
	})
}

func word(key []byte) string {
	if strings.Trim(string(key), "abcdefghijklmnopqrstuvwxyz-") == "" {
		return string(key)
	}
	return hex.EncodeToString(key)
}
