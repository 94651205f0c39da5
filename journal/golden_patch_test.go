package journal_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"

	"puddle/journal"
)

// goldPatched is the document that the frozen patch makes.
func goldPatched() []byte {
	return []byte(`{"format-version":2,"location":"s3://lake/wh/sales/orders","last-sequence-number":17,"properties":{"write.data.path":"s3://lake/wh/sales/orders/data"}}`)
}

// TestFrozenPatches: a patch that was kept once makes its document of its base for
// ever, and the page tells how.
func TestFrozenPatches(t *testing.T) {
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(frozen, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	to := goldTo("orders", 1)
	to.Pointer.DocumentSHA256 = journal.Sum(goldPatched())
	data := read("document-patch.bin")
	got, err := journal.Shelf(func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		at := journal.Position{Incarnation: uuid.Nil, Seq: seq}
		switch {
		case seq == 5 && move == 0:
			return journal.Event{Position: at, Body: journal.TableCreated{Moves: [1]journal.Move{{To: to}}}},
				journal.Document{Codec: journal.CodecPatch, Data: data}, nil
		case seq == 4 && move == 0:
			return journal.Event{Position: at, Body: journal.TableCreated{Moves: [1]journal.Move{{To: goldTo("orders", 0)}}}},
				journal.Document{Codec: journal.CodecWholeZstd, Data: read("document-whole-zstd.zst")}, nil
		}
		return journal.Event{}, journal.Document{}, journal.ErrNoEvent
	}).Open(5, 0)
	if err != nil || string(got) != string(goldPatched()) {
		t.Errorf("it opens as %q, %v", got, err)
	}
	wantFrozen(t, "document-patch.json", goldPatched())
	wantFrozen(t, "document-patch.txt", []byte(told(t, data, string(read("document-whole-zstd.json")))))
}

// told is a patch in words, read as the page says and by nothing of the package.
func told(t *testing.T, data []byte, base string) string {
	t.Helper()
	inflater, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer inflater.Close()
	ops, err := inflater.DecodeAll(data[17:], nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	fmt.Fprintf(&lines, "%x seq %d\n%x move %d\n%x patch %d\n%x makes %d bytes\n", data[:8], binary.BigEndian.Uint64(data), data[8:12], binary.BigEndian.Uint32(data[8:]),
		data[12:13], data[12], data[13:17], binary.BigEndian.Uint32(data[13:]))
	for end := 0; len(ops) > 0; {
		head, width := binary.Uvarint(ops)
		n := int(head >> 1)
		if head&1 == 0 {
			fmt.Fprintf(&lines, "%x insert %q\n", ops[:width], ops[width:width+n])
			ops = ops[width+n:]
			continue
		}
		distance, more := binary.Varint(ops[width:])
		from := end + int(distance)
		fmt.Fprintf(&lines, "%x copy %d from %d+%d: %q\n", ops[:width+more], n, end, distance, base[from:from+n])
		end, ops = from+n, ops[width+more:]
	}
	return lines.String()
}
