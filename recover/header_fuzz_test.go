package recover

import (
	"bytes"
	"compress/gzip"
	"slices"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/fuzztest"
	"puddle/rest/metadata"
)

// FuzzReadHeader: what the catalog takes for a table or view has a header that says of it
// what the catalog says, gzipped or not, and no header costs more than its bytes.
func FuzzReadHeader(f *testing.F) {
	for _, data := range fuzztest.Files(f, "../fixtures/warehouses/*/warehouse/*/*/metadata/00000*.json", "../rest/metadata/testdata/*.json") {
		if len(data) < 8<<10 {
			f.Add(data)
		}
	}
	f.Add([]byte(`{"table-uuid":"4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12","metadata-log":[{"metadata-file":"a"}]}`))
	f.Add([]byte(`{"metadata-log":[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h header
		var err error
		fuzztest.Bounded(t, len(data), 64, 0, func() { h, err = readHeader("v1.metadata.json", data) })
		fuzztest.Bounded(t, len(data), 1<<14, 0, func() { _, _ = readHeader("v1.gz.metadata.json", data) })
		var log []string
		var id uuid.UUID
		var location string
		if d, refused := metadata.Parse(data, "s3://b/t/metadata/v1.metadata.json"); refused == nil {
			id, location = d.UUID(), d.Location()
			for _, entry := range d.MetadataLog() {
				log = append(log, entry.Location)
			}
		} else if v, refused := metadata.ParseView(data, "s3://b/t/metadata/v1.metadata.json"); refused == nil {
			id, location = v.UUID(), v.Location()
		} else {
			return
		}
		if err != nil || h.uuid != id || h.location != location || !slices.Equal(h.log, log) {
			t.Fatalf("%+v, %v; the catalog says %s, %s, %q", h, err, id, location, log)
		}
		if again, err := readHeader("v1.metadata.json.gz", deflated(data)); err != nil || again.uuid != h.uuid || !slices.Equal(again.log, h.log) {
			t.Fatalf("gzipped: %+v, %v", again, err)
		}
	})
}

func deflated(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}
