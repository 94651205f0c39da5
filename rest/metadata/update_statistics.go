package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

type setStatistics struct {
	raw  jsontext.Value
	file statisticsFile
}

func (setStatistics) Action() string { return "set-statistics" }

// setStatistics passes over snapshot-id, which the file itself holds.
func (r *reader) setStatistics() (Update, error) {
	words := updateWords("set-statistics", "statistics")
	words.optional = append(words.optional, "snapshot-id")
	raw, err := r.part(words, "statistics")
	if err != nil {
		return nil, err
	}
	file, err := readStatistics(newReader(raw))
	return setStatistics{raw, file}, err
}

func (u setStatistics) apply(b *builder) error {
	changed, err := setStatisticsFile(&b.statistics, u.file, u.raw)
	b.changed = b.changed || changed
	return err
}

type setPartitionStatistics struct {
	raw  jsontext.Value
	file statisticsFile
}

func (setPartitionStatistics) Action() string { return "set-partition-statistics" }

func (r *reader) setPartitionStatistics() (Update, error) {
	raw, err := r.part(updateWords("set-partition-statistics", "partition-statistics"), "partition-statistics")
	if err != nil {
		return nil, err
	}
	file, err := readPartitionStatistics(newReader(raw))
	return setPartitionStatistics{raw, file}, err
}

func (u setPartitionStatistics) apply(b *builder) error {
	changed, err := setStatisticsFile(&b.partitionStatistics, u.file, u.raw)
	b.changed = b.changed || changed
	return err
}

// setStatisticsFile makes file the only one of its snapshot, and tells whether it
// was not so before. The snapshot need not exist, as for the Java library.
func setStatisticsFile(files *sequence[statisticsFile], file statisticsFile, raw jsontext.Value) (bool, error) {
	same := func(f statisticsFile) bool { return f == file }
	i := files.index(same)
	if i >= 0 {
		equal, err := equalValues(files.text(i), raw)
		if err != nil {
			return false, err
		}
		if equal {
			return false, nil
		}
		files.remove(same)
	}
	files.append(file, rope{raw})
	return true, nil
}

func equalValues(a, b jsontext.Value) (bool, error) {
	left, err := canonical(a)
	if err != nil {
		return false, err
	}
	right, err := canonical(b)
	return left == right, err
}
