package metadata_test

import (
	"fmt"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

// large is a table with n snapshots of the size that Spark writes.
func large(b *testing.B, n int) *metadata.Document {
	b.Helper()
	pad := strings.Repeat("x", 560)
	var snapshots, history []string
	for i := 1; i <= n; i++ {
		snapshots = append(snapshots, fmt.Sprintf(`{"snapshot-id":%d,"sequence-number":%d,"timestamp-ms":%d,"schema-id":0,`+
			`"manifest-list":"s3://b/t/metadata/snap-%d.avro","summary":{"operation":"append","added-records":"1","pad":%q}}`,
			1_000_000+i, i, born.UnixMilli()+int64(i), i, pad))
		history = append(history, fmt.Sprintf(`{"timestamp-ms":%d,"snapshot-id":%d}`, born.UnixMilli()+int64(i), 1_000_000+i))
	}
	text := string(newTable(b).Bytes())
	for old, with := range map[string]string{
		`"snapshots":[]`:               `"snapshots":[` + strings.Join(snapshots, ",") + `]`,
		`"snapshot-log":[]`:            `"snapshot-log":[` + strings.Join(history, ",") + `]`,
		`"refs":{}`:                    fmt.Sprintf(`"refs":{"main":{"snapshot-id":%d,"type":"branch"}}`, 1_000_000+n),
		`"current-snapshot-id":-1`:     fmt.Sprintf(`"current-snapshot-id":%d`, 1_000_000+n),
		`"last-sequence-number":0`:     fmt.Sprintf(`"last-sequence-number":%d`, n),
		`"last-updated-ms":1700000000`: `"last-updated-ms":1800000000`,
	} {
		text = strings.Replace(text, old, with, 1)
	}
	return parse(b, text)
}

var sizes = []int{1, 100, 2000, 10000}

func BenchmarkAppendSnapshot(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := large(b, n)
			body := []byte(`{"updates":[` + list(addSnapshot(5, int64(n)+1, fmt.Sprintf(`,"parent-snapshot-id":%d`, 1_000_000+n)), setMain(5)) + `]}`)
			b.SetBytes(int64(len(base.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				reqs, updates, err := metadata.DecodeCommit(body)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := metadata.Commit(base, reqs, updates, later, other); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := large(b, n)
			b.SetBytes(int64(len(base.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metadata.Parse(base.Bytes(), location); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
