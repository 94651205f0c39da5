package manifest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata/manifest"
)

// Fields that nobody knows, those that are missing and names that Avro refuses do
// no harm, in any codec and over many blocks.
func TestEntries(t *testing.T) {
	for name, codec := range codecs() {
		file := written(t, entrySchema, codec,
			entryOf(0, "s3://b/a", nil, nil), entryOf(1, "b", 1, "s3://b/a"), entryOf(2, "ä\x00", 2, nil))
		want := []manifest.Entry{
			{Status: manifest.Existing, Path: "s3://b/a", Content: manifest.Rows, Size: 8},
			{Status: manifest.Added, Path: "b", Content: manifest.PositionDeletes, Size: 1, Referenced: "s3://b/a"},
			{Status: manifest.Deleted, Path: "ä\x00", Content: manifest.EqualityDeletes, Size: 3},
		}
		if diff := cmp.Diff(want, all(t, manifest.Entries(bytes.NewReader(file)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestList(t *testing.T) {
	file := written(t, listSchema, nil,
		object{"manifest_path": "a", "manifest_length": 7, "key_metadata": nil},
		object{"manifest_path": "b", "manifest_length": 8, "key_metadata": []byte("key")})
	want := []manifest.File{
		{Path: "a", Length: 7, Content: manifest.Data},
		{Path: "b", Length: 8, Content: manifest.Data, Encrypted: true},
	}
	if diff := cmp.Diff(want, all(t, manifest.List(bytes.NewReader(file)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEmptyFiles(t *testing.T) {
	if got := all(t, manifest.Entries(bytes.NewReader(written(t, entrySchema, nil)))); len(got) != 0 {
		t.Errorf("a manifest of nothing names %v", got)
	}
}

// A field that has the name of one of the spec's and the id of another is not
// taken for either.
func TestOtherSchemasAreRefused(t *testing.T) {
	one := entryOf(1, "a", nil, nil)
	for _, test := range []struct{ change, to, reason string }{
		{`"field-id":100`, `"field-id":101`, "field file_path has the id 101, not 100"},
		{`"field-id":0`, `"field-id":"0"`, "field status has the id 0, not 0"},
		{`"name":"status"`, `"name":"state"`, "no field status"},
		{`"name":"file_path"`, `"name":"path"`, "no field file_path"},
	} {
		record, inner := object{}, object{}
		for k, v := range one["data_file"].(object) {
			inner[k] = v
		}
		for k, v := range one {
			record[k] = v
		}
		inner["path"], record["state"], record["data_file"] = "a", 1, inner
		file := written(t, strings.Replace(entrySchema, test.change, test.to, 1), nil, record)
		wantInvalid(t, file, test.reason)
	}
	wantInvalid(t, written(t, listSchema, nil), "no field status")
	wantInvalid(t, written(t, `{"type":"record","name":"e","fields":[{"name":"status","type":"int"},{"name":"data_file","type":"string"}]}`, nil), "a string where a record")
}

func TestOtherValuesAreRefused(t *testing.T) {
	wantInvalid(t, written(t, entrySchema, nil, entryOf(3, "a", nil, nil)), "status 3")
	wantInvalid(t, written(t, entrySchema, nil, entryOf(-1, "a", nil, nil)), "status -1")
	wantInvalid(t, written(t, entrySchema, nil, entryOf(1, "a", 3, nil)), "content 3")
	wantInvalid(t, written(t, entrySchema, nil, entryOf(1, "", nil, nil)), "no path")
	for _, err := range manifest.List(bytes.NewReader(written(t, listSchema, nil, object{"manifest_path": "", "manifest_length": 1, "key_metadata": nil}))) {
		if !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("a manifest without a path: %v", err)
		}
	}
}

func wantInvalid(t *testing.T, file []byte, reason string) {
	t.Helper()
	var last error
	for _, err := range manifest.Entries(bytes.NewReader(file)) {
		last = err
	}
	if !errors.Is(last, manifest.ErrInvalid) || !strings.Contains(last.Error(), reason) {
		t.Errorf("error %v, want ErrInvalid that says %q", last, reason)
	}
}

func TestEncryptedFiles(t *testing.T) {
	for _, err := range manifest.Entries(strings.NewReader("AGS1\x00\x00\x10\x00 and so on")) {
		if !errors.Is(err, manifest.ErrEncrypted) || errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("error %v, want ErrEncrypted", err)
		}
	}
}

// What the reader fails with is not the file's fault.
func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	file := written(t, entrySchema, nil, entryOf(1, "a", nil, nil), entryOf(1, "b", nil, nil), entryOf(1, "c", nil, nil))
	for at := range file {
		var last error
		for _, err := range manifest.Entries(&failing{iotest.OneByteReader(bytes.NewReader(file)), at, broken}) {
			last = err
		}
		if !errors.Is(last, broken) || errors.Is(last, manifest.ErrInvalid) {
			t.Fatalf("after %d bytes: %v, want the reader's error", at, last)
		}
	}
}

// failing reads so many bytes, one at a time, and fails.
type failing struct {
	reader interface{ Read([]byte) (int, error) }
	left   int
	err    error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, f.err
	}
	f.left--
	return f.reader.Read(p)
}

// A caller may stop in the middle.
func TestStopping(t *testing.T) {
	file := written(t, entrySchema, nil, entryOf(1, "a", nil, nil), entryOf(9, "b", nil, nil))
	for e, err := range manifest.Entries(bytes.NewReader(file)) {
		if err != nil || e.Path != "a" {
			t.Errorf("%+v, %v", e, err)
		}
		break
	}
}
