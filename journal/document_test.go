package journal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func gzipped(t *testing.T, plain string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	_, err := z.Write([]byte(plain))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// registeredFile is the event that registered a gzip file.
func registeredFile(file []byte, plain string) Event {
	to := To{
		Identifier: Identifier{Namespace: Namespace{"a"}, Name: "t"},
		Pointer:    Pointer{Encoding: EncodingGzip, Size: int64(len(file)), SHA256: Sum(file), DocumentSHA256: Sum([]byte(plain))},
	}
	return Event{Body: TableRegistered{Moves: [1]Move{{Kind: Table, UUID: uuid.New(), To: &to}}}}
}

// opened is the document of an event that keeps nothing else.
func opened(e Event, d Document) ([]byte, error) {
	return Shelf(func(Seq, int) (Event, Document, error) { return e, d, nil }).Open(e.Seq, d.Move)
}

// A registered file is kept byte for byte, and its document is what was inside.
func TestKeepFile(t *testing.T) {
	const plain = `{"format-version":2}`
	file := gzipped(t, plain)
	e := registeredFile(file, plain)
	d, ok := KeepFile(0, file, len(file))
	if !ok || !bytes.Equal(d.Data, file) {
		t.Fatal("the file is not kept as it is")
	}
	if got, err := opened(e, d); err != nil || string(got) != plain {
		t.Errorf("it opens as %q, %v", got, err)
	}
	if _, ok := KeepFile(0, file, len(file)-1); ok {
		t.Error("a file over the limit is kept")
	}
	var damage *Damage
	for what, data := range map[string][]byte{
		"another document": gzipped(t, "{}"), "no gzip": []byte(plain), "cut": file[:len(file)-1], "empty": nil,
		"followed by more": append(bytes.Clone(file), "more"...),
	} {
		if _, err := opened(e, Document{Codec: CodecRaw, Data: data}); !errors.As(err, &damage) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A file that inflates to more than the limit is refused, and not read further.
func TestInflateStopsAtTheLimit(t *testing.T) {
	bomb := gzipped(t, string(make([]byte, 1<<20)))
	for max, fits := range map[int64]bool{1 << 20: true, 1<<20 - 1: false, 0: false} {
		plain, err := inflate(bomb, max)
		if (err == nil) != fits || int64(len(plain)) > max+1 {
			t.Errorf("limit %d: %d bytes, %v", max, len(plain), err)
		}
	}
}

// A frame that says, or holds, more than the event's file has bytes is refused before
// memory is taken for it; every flipped bit of a frame is noticed.
func TestWholeDocumentsStopAtTheirSize(t *testing.T) {
	plain := []byte(strings.Repeat(`{"snapshot-id":1}`, 1000))
	d, _ := KeepDocument(0, plain, MaxDocumentBytes)
	e := made(1, plain)
	if got, err := opened(e, d); err != nil || !bytes.Equal(got, plain) {
		t.Fatal(err)
	}
	bomb, _ := KeepDocument(0, make([]byte, 64<<20), MaxDocumentBytes)
	var damage *Damage
	taken := allocated(func() {
		for bit := range 8 * 12 { // the frame's header and the first block's
			flipped := bytes.Clone(d.Data)
			flipped[bit/8] ^= 1 << (bit % 8)
			if got, err := opened(e, Document{Codec: CodecWholeZstd, Data: flipped}); !errors.As(err, &damage) && !bytes.Equal(got, plain) {
				t.Errorf("bit %d: %v", bit, err)
			}
		}
		if _, err := opened(e, bomb); !errors.As(err, &damage) {
			t.Errorf("a bomb: %v", err)
		}
	})
	if limit := uint64(200 * len(plain)); taken > limit {
		t.Errorf("%d bytes of memory were taken, more than %d", taken, limit)
	}
}

// allocated is how many bytes of memory are taken while f runs, and given back or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
