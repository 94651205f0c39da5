package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

// statisticsFile is what is read of one statistics or partition statistics file.
type statisticsFile struct{ snapshot int64 }

var (
	statisticsWords = vocabulary{what: "statistics file", required: []string{"snapshot-id", "statistics-path",
		"file-size-in-bytes", "file-footer-size-in-bytes", "blob-metadata"}}
	partitionStatisticsWords = vocabulary{what: "partition statistics file",
		required: []string{"snapshot-id", "statistics-path", "file-size-in-bytes"}}
	blobWords = vocabulary{what: "blob metadata", required: []string{"type", "snapshot-id", "sequence-number", "fields"},
		optional: []string{"properties"}}
)

func readStatistics(raw jsontext.Value) (statisticsFile, error) {
	return readStatisticsFile(raw, statisticsWords)
}

func readPartitionStatistics(raw jsontext.Value) (statisticsFile, error) {
	return readStatisticsFile(raw, partitionStatisticsWords)
}

func readStatisticsFile(raw jsontext.Value, words vocabulary) (statisticsFile, error) {
	var f statisticsFile
	r := newReader(raw)
	err := r.object(words, func(name string) error {
		switch name {
		case "snapshot-id":
			return r.long(&f.snapshot)
		case "statistics-path":
			return r.text(new(string))
		case "blob-metadata":
			return r.array(r.blob)
		default:
			return r.long(new(int64))
		}
	})
	return f, err
}

func (r *reader) blob() error {
	return r.object(blobWords, func(name string) error {
		switch name {
		case "type":
			return r.text(new(string))
		case "fields":
			return r.ints(new([]int))
		case "properties":
			v, err := r.value()
			if err != nil {
				return err
			}
			_, err = cutObject(newReader(v), "blob metadata properties", readProperty)
			return err
		default:
			return r.long(new(int64))
		}
	})
}
