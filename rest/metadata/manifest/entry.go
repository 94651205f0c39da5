package manifest

import (
	"fmt"
	"io"
	"iter"
)

// Status says what the snapshot of a manifest did with a file.
type Status string

// The statuses.
const (
	Existing Status = "existing"
	Added    Status = "added"
	Deleted  Status = "deleted"
)

// FileContent says what is in a file.
type FileContent string

// The contents of files. Deletion vectors are position deletes in Puffin files.
const (
	Rows            FileContent = "data"
	PositionDeletes FileContent = "position-deletes"
	EqualityDeletes FileContent = "equality-deletes"
)

// Entry is one file that a manifest names.
type Entry struct {
	Status     Status
	Path       string // as it is written; any text
	Content    FileContent
	Format     string // parquet, orc, avro or puffin, in the writer's letter case
	Size       int64  // bytes, as the manifest claims
	Referenced string // the data file that all position deletes are of; may be empty
}

// named is what is read of a record of a manifest.
type named struct {
	Status int64    `avro:"status"`
	File   dataFile `avro:"data_file"`
}

type dataFile struct {
	Content    int64  `avro:"content"`
	Path       string `avro:"file_path"`
	Format     string `avro:"file_format"`
	Size       int64  `avro:"file_size_in_bytes"`
	Referenced string `avro:"referenced_data_file"`
}

// entryFields are the fields of named (Iceberg spec, manifests). Format 1 has no
// content: all its files are data.
var entryFields = []field{
	{name: "status", id: 0, required: true},
	{name: "data_file", id: 2, required: true, fields: []field{
		{name: "content", id: 134},
		{name: "file_path", id: 100, required: true},
		{name: "file_format", id: 101},
		{name: "file_size_in_bytes", id: 104},
		{name: "referenced_data_file", id: 143},
	}},
}

// Entries yields the files that a manifest of format 1, 2 or 3 names, in its
// order, deleted ones too. An error is the last thing that it yields; those before
// it are good.
func Entries(file io.Reader) iter.Seq2[Entry, error] {
	return entries(file, MaxInflatedBytes)
}

func entries(file io.Reader, inflated int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for record, err := range records[named](file, entryFields, inflated) {
			var e Entry
			if err == nil {
				e, err = record.entry()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

var (
	statuses = []Status{Existing, Added, Deleted}
	contents = []FileContent{Rows, PositionDeletes, EqualityDeletes}
)

func (r named) entry() (Entry, error) {
	switch {
	case r.Status < 0 || r.Status >= int64(len(statuses)):
		return Entry{}, fmt.Errorf("%w: an entry has the status %d, which is unknown", ErrInvalid, r.Status)
	case r.File.Content < 0 || r.File.Content >= int64(len(contents)):
		return Entry{}, fmt.Errorf("%w: a file has the content %d, which is unknown", ErrInvalid, r.File.Content)
	case r.File.Path == "":
		return Entry{}, fmt.Errorf("%w: a file has no path", ErrInvalid)
	}
	return Entry{
		Status: statuses[r.Status], Content: contents[r.File.Content],
		Path: r.File.Path, Format: r.File.Format, Size: r.File.Size, Referenced: r.File.Referenced,
	}, nil
}
