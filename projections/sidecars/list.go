package sidecars

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"puddle/internal/warehouse"
)

// Found is one file in the folder of sidecars: exactly one of Object, Namespace and
// Err is there, unless it could not be read.
type Found struct {
	Key       string
	Object    *Object
	Namespace *Namespace
	Err       error // an *Unusable
}

// listAhead is how many files a list reads ahead.
const listAhead = 2 * parallel

// List reads the sidecars of a warehouse and yields them ascending by key, while it
// reads a few ahead. A file that is none is a Found with an Err and stops nothing; so,
// after the files, is what is no file, such as a link, and a folder, once: one that has
// the name of a file, as in an object store, with a slash at its end. The
// second error says that something could not be looked at: the file of that Key, and
// the list goes on, or with an empty Key the folder, which ends it. Two files that
// spell one uuid in different letter case are two.
func List(ctx context.Context, store warehouse.Reader) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		var ahead []chan looked // the oldest first
		next := func() bool {
			l := <-ahead[0]
			ahead = ahead[1:]
			return !l.there || yield(l.found, l.err)
		}
		folders, files := map[string]bool{}, map[string]bool{}
		for entry, err := range store.List(ctx, Folder) {
			for len(ahead) > 0 && (err != nil || len(ahead) == listAhead) {
				if !next() {
					return
				}
			}
			switch folder := beneath(entry.Key); {
			case errors.Is(err, warehouse.ErrLink):
				yield(Found{Key: Folder, Err: &Unusable{Folder, err}}, nil)
				return
			case err != nil:
				yield(Found{}, err)
				return
			case folder != "":
				folders[folder] = true
			case entry.Key != cursorKey:
				files[entry.Key] = true
				ahead = append(ahead, look(ctx, store, entry.Key))
			}
		}
		for len(ahead) > 0 {
			if !next() {
				return
			}
		}
		for folder := range folders {
			if files[folder] {
				delete(folders, folder)
				folders[folder+"/"] = true
			}
		}
		odd(ctx, store, folders, yield)
	}
}

// beneath is the folder that stands where a sidecar would be, of a key that is in one;
// empty of a key that is in the folder of sidecars itself.
func beneath(key string) string {
	for _, folder := range []string{NamespacesFolder, Folder} {
		if name, ok := strings.CutPrefix(key, folder+"/"); ok {
			first, _, deeper := strings.Cut(name, "/")
			if !deeper {
				return ""
			}
			return folder + "/" + first
		}
	}
	return ""
}

// odd yields what is no file, and the folders that hold files.
func odd(ctx context.Context, store warehouse.Reader, folders map[string]bool, yield func(Found, error) bool) {
	strange := map[string]error{}
	for folder := range folders {
		strange[folder] = fmt.Errorf("%w: it is a folder", ErrMisplaced)
	}
	looker, ok := store.(warehouse.Odd)
	for _, folder := range []string{Folder, NamespacesFolder} {
		if !ok {
			break
		}
		all, err := looker.Oddities(ctx, folder)
		if err != nil && !errors.Is(err, warehouse.ErrLink) { // which the folder above tells
			yield(Found{}, err)
			return
		}
		for _, o := range all {
			if key := folder + "/" + o.Name; key != NamespacesFolder || o.What != "a folder" {
				strange[key] = fmt.Errorf("%w: it is %s", ErrMisplaced, o.What)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(strange)) {
		if !yield(Found{Key: key, Err: &Unusable{key, strange[key]}}, nil) {
			return
		}
	}
}

// looked is what came of reading a file.
type looked struct {
	found Found
	there bool
	err   error
}

// look reads a file while others do something else.
func look(ctx context.Context, store warehouse.Reader, key string) chan looked {
	done := make(chan looked, 1)
	go func() {
		var l looked
		l.found, l.there, l.err = find(ctx, store, key)
		done <- l
	}()
	return done
}

// find reads one file; false when it is gone.
func find(ctx context.Context, store warehouse.Reader, key string) (found Found, there bool, err error) {
	found.Key = key
	folder, limit := Folder, maxObject
	if strings.HasPrefix(key, NamespacesFolder+"/") {
		folder, limit = NamespacesFolder, maxNamespace
	}
	if _, err := stemOf(folder, key); err != nil {
		found.Err = &Unusable{key, err}
		return found, true, nil
	}
	data, err := store.Get(ctx, key, int64(limit))
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return found, false, nil
	case errors.Is(err, warehouse.ErrTooLarge):
		found.Err = &Unusable{key, fmt.Errorf("%w: it is larger than %d bytes", ErrDamaged, limit)}
	case errors.Is(err, warehouse.ErrLink):
		found.Err = &Unusable{key, err}
	case errors.Is(err, fs.ErrPermission):
		found.Err = &Unusable{key, fmt.Errorf("%w: it may not be read: %w", ErrDamaged, err)}
	case err != nil:
		return found, true, err
	case folder == Folder:
		var o Object
		if o, found.Err = Decode(key, data); found.Err == nil {
			found.Object = &o
		}
	default:
		var n Namespace
		if n, found.Err = DecodeNamespace(key, data); found.Err == nil {
			found.Namespace = &n
		}
	}
	return found, true, nil
}
