package recover

import (
	"context"
	"strings"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/recover/descent"
	"puddle/rest/metadata"
)

// Surveyed is how far a survey of a warehouse is.
type Surveyed struct {
	Sidecars int // read
	Listed   int // keys of the storage
	Files    int // metadata files that were read
}

// parallel is how many files are read at the same time: from an object store each takes
// tens of milliseconds, whatever its size.
const parallel = 32

// place is a folder of a warehouse.
type place struct {
	root int // of the roots
	key  string
}

// folder is a place and the keys of the metadata files right in it.
type folder struct {
	place
	keys []string
}

// listRoots lists everything in the roots of a warehouse, once, and yields each folder
// that holds metadata files when all of it is known. It keeps no more than the folders
// on the way to where it is. puddle's own folder is left out, and so are external roots.
func listRoots(ctx context.Context, roots warehouse.Roots, listed func(), yield func(folder) error) error {
	for i, root := range roots {
		if root.External != "" {
			continue
		}
		var open []folder // each in the one before
		shut := func(until string) error {
			for len(open) > 0 && !inside(until, open[len(open)-1].key) {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				if err := yield(last); err != nil {
					return err
				}
			}
			return nil
		}
		for entry, err := range root.Store.List(ctx, "") {
			if err != nil {
				return err
			}
			listed()
			first, _, _ := strings.Cut(entry.Key, "/")
			if strings.EqualFold(first, warehouse.ReservedFolder) || !metadata.IsFileName(entry.Key) {
				continue
			}
			in := folderOf(entry.Key)
			if err := shut(in); err != nil {
				return err
			}
			if len(open) == 0 || open[len(open)-1].key != in {
				open = append(open, folder{place: place{i, in}})
			}
			last := &open[len(open)-1]
			last.keys = append(last.keys, entry.Key)
		}
		if err := shut("\x00"); err != nil {
			return err
		}
		for ; len(open) > 0; open = open[:len(open)-1] { // the root itself
			if err := yield(open[len(open)-1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// inside tells whether a folder is another, or lies in it.
func inside(key, in string) bool {
	return in == "" || key == in || strings.HasPrefix(key, in+"/")
}

// folderOf is the key of the folder that a key is in; "" is the root.
func folderOf(key string) string { return key[:max(strings.LastIndexByte(key, '/'), 0)] }

// surveyed is what was read of a folder.
type surveyed struct {
	place
	files  []metadataFile
	broken []brokenFile
}

// metadataFile is a file that was read.
type metadataFile struct {
	descent.File
	home string // the location that it says its table or view has
	size int64
	sum  journal.Digest
}

// brokenFile is a file that is none, or could not be read.
type brokenFile struct {
	descent.Name
	reason string
	unseen bool // it could not be looked at: it may be a metadata file
	gone   bool // nothing is there any more
}
