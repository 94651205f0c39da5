package metadata

import "iter"

// SnapshotFiles are the files that one snapshot names. Format version 1 may name
// manifests without a list of them.
type SnapshotFiles struct {
	ID           int64
	ManifestList string // may be empty
	Manifests    []string
}

// SnapshotFiles yields what each snapshot names, in the order of the file.
func (d *Document) SnapshotFiles() iter.Seq[SnapshotFiles] {
	return func(yield func(SnapshotFiles) bool) {
		for i := range d.state.snapshots.items {
			if !yield(readSnapshotFiles(d.state.snapshots.text(i))) {
				return
			}
		}
	}
}

// readSnapshotFiles reads the text of a snapshot that was read before.
func readSnapshotFiles(text []byte) SnapshotFiles {
	var files SnapshotFiles
	r := newReader(text)
	_ = r.object(snapshotWords, func(name string) error {
		switch name {
		case "snapshot-id":
			return r.long(&files.ID)
		case "manifest-list":
			return r.text(&files.ManifestList)
		case "manifests":
			return r.array(func() error {
				var manifest string
				err := r.text(&manifest)
				files.Manifests = append(files.Manifests, manifest)
				return err
			})
		}
		return r.skip()
	})
	return files
}

// StatisticsFiles are the locations of the statistics and partition statistics
// files that the document names.
func (d *Document) StatisticsFiles() []string {
	return append(paths(&d.state.statistics, statisticsWords), paths(&d.state.partitionStatistics, partitionStatisticsWords)...)
}

func paths(of *sequence[statisticsFile], words vocabulary) []string {
	locations := make([]string, len(of.items))
	for i := range of.items {
		r := newReader(of.text(i))
		_ = r.object(words, func(name string) error {
			if name == "statistics-path" {
				return r.text(&locations[i])
			}
			return r.skip()
		})
	}
	return locations
}
