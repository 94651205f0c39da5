package sidecars

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/fuzztest"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
)

// seeded adds the frozen sidecars under the keys that they say, and the ones of the
// folder testdata.
func seeded(f *testing.F) {
	for _, name := range []string{"sidecar-table.json", "sidecar-view.json", "sidecar-namespace.json", "sidecar-cursor.json"} {
		text := frozen(f, name)
		f.Add(Folder+"/8f14e45f-ceea-467f-a0e6-f5b1d2c3a4b5.json", []byte(text))
		if key := saysKey(text); key != "" {
			f.Add(key, []byte(text))
		}
	}
}

// saysKey is the key of the sidecar whose text that is, as far as it says.
func saysKey(text string) string {
	var o storedObject
	if err := unmarshal([]byte(text), maxObject, &o); err != nil {
		return ""
	}
	if o.Kind == kindNamespace {
		return NamespaceKey(o.UUID)
	}
	return Key(o.UUID)
}

// unusable fails for an error that is none of a sidecar, or names another object.
func unusable(t *testing.T, key string, err error) {
	t.Helper()
	if u, ok := errors.AsType[*Unusable](err); !ok || u.Key != key {
		t.Fatalf("%T %v", err, err)
	}
}

// FuzzDecode: what is read as the sidecar of a table or view can be written, and says the
// same then.
func FuzzDecode(f *testing.F) {
	seeded(f)
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		var o Object
		var err error
		fuzztest.Bounded(t, len(data), 64, 0, func() { o, err = Decode(key, data) })
		if err != nil {
			unusable(t, key, err)
			return
		}
		text, err := Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Decode(Key(o.UUID), text); err != nil || !cmp.Equal(o, again) {
			t.Fatalf("%v: %s", err, cmp.Diff(o, again))
		}
	})
}

// FuzzDecodeNamespace is FuzzDecode for the sidecar of a namespace.
func FuzzDecodeNamespace(f *testing.F) {
	seeded(f)
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		var n Namespace
		var err error
		fuzztest.Bounded(t, len(data), 64, 0, func() { n, err = DecodeNamespace(key, data) })
		if err != nil {
			unusable(t, key, err)
			return
		}
		text, err := EncodeNamespace(n)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeNamespace(NamespaceKey(n.ID), text); err != nil || !cmp.Equal(n, again) {
			t.Fatalf("%v: %s", err, cmp.Diff(n, again))
		}
	})
}

// FuzzReadCursor: what is read as a cursor can be written, and says the same then.
func FuzzReadCursor(f *testing.F) {
	f.Add([]byte(frozen(f, "sidecar-cursor.json")))
	f.Add([]byte(`{"format-version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := memory.New()
		must(t, store.Put(ctx, cursorKey, data))
		var at journal.Position
		var err error
		fuzztest.Bounded(t, len(data), 32, 0, func() { at, _, err = ReadCursor(ctx, store) })
		if err != nil {
			unusable(t, cursorKey, err)
			return
		}
		must(t, writeCursor(ctx, store, at))
		if again, found, err := ReadCursor(ctx, store); err != nil || !found || again != at {
			t.Fatalf("%v, %v, %v", again, found, err)
		}
	})
}

// FuzzLine: a metadata file tells a line that ends with itself and has no more files than
// one may have, and costs no more memory than that, however much it inflates to.
func FuzzLine(f *testing.F) {
	const limit = 1 << 20
	f.Add([]byte(`{"metadata-log":[{"timestamp-ms":1,"metadata-file":"s3://b/t/metadata/v1.metadata.json"},{}]}`))
	f.Add([]byte(`{"metadata-log":[{"metadata-file":"a"}],"metadata-log":[{"metadata-file":"b"}]}`))
	for _, text := range []string{`{"metadata-log":[]}`, `{"metadata-log":[` + string(bytes.Repeat([]byte("{},"), 1<<20)) + `{}]}`} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var l line
		fuzztest.Bounded(t, len(data), 64, 32*limit, func() { l = lineIn(data, "here", limit) })
		if l != nil && (l[len(l)-1] != "here" || len(l) > maxLine+1) {
			t.Fatalf("%d files", len(l))
		}
	})
}
