package metadata

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

func readStatistics(r *reader) (statisticsFile, error) {
	return r.statisticsFile(statisticsWords)
}

func readPartitionStatistics(r *reader) (statisticsFile, error) {
	return r.statisticsFile(partitionStatisticsWords)
}

func (r *reader) statisticsFile(words vocabulary) (statisticsFile, error) {
	var f statisticsFile
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
			return r.texts(func([]byte) {})
		default:
			return r.long(new(int64))
		}
	})
}
