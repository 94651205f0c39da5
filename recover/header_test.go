package recover

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

func TestReadHeader(t *testing.T) {
	h, err := readHeader("v1.metadata.json", []byte(` {"x":{"table-uuid":1,"location":[]},"table-uuid":"4F1C3E0A-9d2b-4c55-8a51-0e6f3b7d9a12",
		"metadata-log":[{"timestamp-ms":1,"metadata-file":"a"},{"metadata-file":"b","y":{}}],"last-updated-ms":7,"location":"l"} `))
	if err != nil || h.uuid != uuid.MustParse("4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12") || h.location != "l" || !slices.Equal(h.log, []string{"a", "b"}) ||
		!h.lastUpdated.Equal(time.UnixMilli(7)) {
		t.Errorf("%+v, %v", h, err)
	}
	h, err = readHeader("v1.metadata.json", []byte(`{"table-uuid":null,"metadata-log":null}`))
	if err != nil || h.uuid != uuid.Nil || len(h.log) != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	h, err = readHeader("v1.metadata.json", []byte(`{"view-uuid":"4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12","version-log":[{"timestamp-ms":3,"version-id":1},{"timestamp-ms":9,"version-id":2}]}`))
	if err != nil || h.uuid == uuid.Nil || !h.lastUpdated.Equal(time.UnixMilli(9)) || len(h.log) != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestReadHeaderRefuses(t *testing.T) {
	long := `{"metadata-log":[` + strings.Repeat(`{"metadata-file":"a"},`, maxLog) + `{"metadata-file":"a"}]}`
	for _, text := range []string{
		``, `[]`, `{`, `{"table-uuid":7}`, `{"table-uuid":"x"}`, `{"location":7}`, `{"last-updated-ms":"x"}`, `{"last-updated-ms":1.5}`,
		`{"metadata-log":{}}`, `{"metadata-log":[7]}`, `{"metadata-log":[`, `{} {}`, `{}x`, "{\"a\":\"\xff\"}", long, strings.Repeat(`{"a":`, 100_000),
	} {
		if _, err := readHeader("v1.metadata.json", []byte(text)); err == nil {
			t.Errorf("%.40q is read", text)
		} else if line := oneLine(err); !utf8.ValidString(line) || strings.Contains(line, "\n") || len(line) > maxLine+4 {
			t.Errorf("%.40q: %q", text, line)
		}
	}
}

func TestCase1_GzippedAsTheNameSays(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(`{"location":"l"}`))
	_ = z.Close()
	for name, data := range map[string][]byte{"v1.gz.metadata.json": b.Bytes(), "v1.metadata.json.gz": b.Bytes(), "v1.metadata.json": []byte(`{"location":"l"}`)} {
		if h, err := readHeader(name, data); err != nil || h.location != "l" {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
	for name, data := range map[string][]byte{"v1.metadata.json": b.Bytes(), "v1.gz.metadata.json": []byte(`{}`), "v2.gz.metadata.json": b.Bytes()[:12]} {
		if _, err := readHeader(name, data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	text := &bounded{strings.NewReader("12345"), 4}
	if n, err := text.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
}
