package metadata_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata"
)

func TestSnapshotFiles(t *testing.T) {
	base := newTable(t)
	text := string(base.Bytes())
	at := len(text) - 1
	d := parse(t, text[:at]+`,"x":[{"manifest-list":"no"}]}`)
	if got := slices.Collect(d.SnapshotFiles()); len(got) != 0 || len(d.StatisticsFiles()) != 0 {
		t.Errorf("an empty table names %v and %v", got, d.StatisticsFiles())
	}
	d = parseOld(t, onlySchema+onlySpec+`,"snapshots":[
		{"snapshot-id":1,"timestamp-ms":1700000000000,"manifests":["s3://b/t/m1.avro","s3:\/\/b/t/m2.avro"],"x":{"manifests":[7]}},
		{"snapshot-id":2,"timestamp-ms":1700000000000,"manifest-list":"s3://b/t/\u00e4.avro"}],
		"statistics":[{"snapshot-id":1,"statistics-path":"s","file-size-in-bytes":1,"file-footer-size-in-bytes":1,"blob-metadata":[]}],
		"partition-statistics":[{"Blob-Metadata":1,"snapshot-id":1,"statistics-path":"p","file-size-in-bytes":1}]`)
	want := []metadata.SnapshotFiles{
		{ID: 1, Manifests: []string{"s3://b/t/m1.avro", "s3://b/t/m2.avro"}},
		{ID: 2, ManifestList: "s3://b/t/\u00e4.avro"},
	}
	if diff := cmp.Diff(want, slices.Collect(d.SnapshotFiles())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := d.StatisticsFiles(); !slices.Equal(got, []string{"s", "p"}) {
		t.Errorf("statistics files %v", got)
	}
}

// What real engines wrote is read as a plain decoder reads it.
func TestSnapshotFilesOfWarehouses(t *testing.T) {
	seen := 0
	eachFile(t, func(path string, file []byte) {
		var want struct {
			Snapshots []struct {
				ID   int64  `json:"snapshot-id"`
				List string `json:"manifest-list"`
			} `json:"snapshots"`
			Statistics []struct {
				Path string `json:"statistics-path"`
			} `json:"statistics"`
			PartitionStatistics []struct {
				Path string `json:"statistics-path"`
			} `json:"partition-statistics"`
		}
		if err := json.Unmarshal(file, &want); err != nil {
			t.Fatal(err)
		}
		d := parse(t, string(file))
		var wanted, got []metadata.SnapshotFiles
		for _, s := range want.Snapshots {
			wanted = append(wanted, metadata.SnapshotFiles{ID: s.ID, ManifestList: s.List})
		}
		var statistics []string
		for _, s := range append(want.Statistics, want.PartitionStatistics...) {
			statistics = append(statistics, s.Path)
		}
		got = slices.Collect(d.SnapshotFiles())
		if diff := cmp.Diff(wanted, got); diff != "" || !slices.Equal(statistics, d.StatisticsFiles()) {
			t.Errorf("%s (-want +got):\n%s\nstatistics %v, want %v", path, diff, d.StatisticsFiles(), statistics)
		}
		seen += len(got)
	})
	if seen == 0 {
		t.Error("no snapshot was seen")
	}
}
