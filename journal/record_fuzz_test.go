package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"puddle/internal/fuzztest"
)

// FuzzDecode: what is read as a record is written as the same bytes, has the hash of
// these, and is read alike by both readers.
func FuzzDecode(f *testing.F) {
	paths, err := filepath.Glob("../fixtures/formats/v1/record-*.json")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for i, path := range paths {
		if data, err := os.ReadFile(path); err != nil {
			f.Fatal(err)
		} else if i%4 == 0 || strings.Contains(path, "recover") {
			f.Add(bytes.TrimSuffix(data, []byte("\n")))
		}
	}
	f.Add([]byte(`{"v":2}`))
	prev := Sum([]byte("prev"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e Event
		var err error
		fuzztest.Bounded(t, len(data), 128, 0, func() { e, err = Decode(prev, data) })
		if err != nil {
			if !errors.Is(err, ErrRecord) && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		again, err := encode(e)
		if err != nil || !bytes.Equal(again, data) || e.Hash != Link(prev, data) {
			t.Fatalf("%s, %v", again, err)
		}
		if other, err := decodeAny(prev, data); err != nil || other.Position != e.Position || other.ID != e.ID {
			t.Fatalf("%v, %v", other.Position, err)
		}
	})
}

// FuzzDocument: no stored bytes are taken for a document that they are not, whatever size
// they claim: a file that is not compressed has the size that its event says, and any other
// no more than one may have.
func FuzzDocument(f *testing.F) {
	const plain = `{"format-version":2,"location":"s3://b/t"}`
	whole, _ := KeepDocument(0, []byte(plain), MaxDocumentBytes)
	f.Add(byte(CodecWholeZstd), whole.Data)
	f.Add(byte(CodecWholeZstd), append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0}, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0)) // 2^40 bytes, it says
	for _, seed := range fuzztest.Files(f, "../fixtures/formats/v1/document-raw.gz") {
		f.Add(byte(CodecRaw), seed)
	}
	f.Add(byte(CodecErased), []byte{})
	e := made(5, []byte(plain))
	f.Fuzz(func(t *testing.T, codec byte, data []byte) {
		d := Document{Codec: Codec(codec), Data: data}
		var text []byte
		var err error
		fuzztest.Bounded(t, len(data), 4096, 1<<20, func() { text, err = opened(e, d) })
		damage, ok := errors.AsType[*Damage](err)
		switch {
		case err == nil && string(text) != plain:
			t.Fatalf("it opens as %q", text)
		case err != nil && !(ok && damage.Seq == 5) && !errors.Is(err, ErrNewer) && !errors.Is(err, ErrErased):
			t.Fatalf("%T %v", err, err)
		}
	})
}
