package manifest

import (
	"fmt"
	"io"
	"iter"
)

// Content says what the files of a manifest are.
type Content string

// The contents.
const (
	Data    Content = "data"
	Deletes Content = "deletes"
)

// File is a manifest as its manifest list names it.
type File struct {
	Path          string // as it is written; any text
	Length        int64  // bytes, as the list claims
	Content       Content
	AddedSnapshot int64 // id of the snapshot that added it
	Encrypted     bool  // it has key metadata
}

// listed is what is read of a record of a manifest list.
type listed struct {
	Path          string `avro:"manifest_path"`
	Length        int64  `avro:"manifest_length"`
	Content       int64  `avro:"content"`
	AddedSnapshot int64  `avro:"added_snapshot_id"`
	KeyMetadata   []byte `avro:"key_metadata"`
}

// listFields are the fields of listed (Iceberg spec, manifest lists). Format 1 has
// no content: all its manifests are of data.
var listFields = []field{
	{name: "manifest_path", id: 500, required: true},
	{name: "manifest_length", id: 501, required: true},
	{name: "content", id: 517},
	{name: "added_snapshot_id", id: 503},
	{name: "key_metadata", id: 519},
}

// List yields the manifests that a manifest list of format 1, 2 or 3 names, in its
// order. An error is the last thing that it yields; those before it are good.
func List(file io.Reader) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for record, err := range records[listed](file, listFields, MaxInflatedBytes) {
			var f File
			if err == nil {
				f, err = record.file()
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

func (r listed) file() (File, error) {
	f := File{Path: r.Path, Length: r.Length, AddedSnapshot: r.AddedSnapshot, Encrypted: len(r.KeyMetadata) > 0}
	switch r.Content {
	case 0:
		f.Content = Data
	case 1:
		f.Content = Deletes
	default:
		return File{}, fmt.Errorf("%w: a manifest has the content %d, which is unknown", ErrInvalid, r.Content)
	}
	if r.Path == "" {
		return File{}, fmt.Errorf("%w: a manifest has no path", ErrInvalid)
	}
	return f, nil
}
