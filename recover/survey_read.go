package recover

import (
	"context"
	"errors"
	"strings"
	"sync"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/recover/descent"
	"puddle/rest/metadata"
)

// reader reads the metadata files of folders. Many goroutines may use it.
type reader struct {
	roots warehouse.Roots
	slots chan struct{} // a file that is being read holds one
	large chan struct{} // a large one that is in memory holds the only one
	read  func()        // called after each file
}

func newReader(roots warehouse.Roots, read func()) *reader {
	return &reader{roots: roots, slots: make(chan struct{}, parallel), large: make(chan struct{}, 1), read: read}
}

// folder reads all files of a folder. What is wrong with one is told beside them; the
// error is that of the context.
func (r *reader) folder(ctx context.Context, f folder) (surveyed, error) {
	headers, reasons := make([]metadataFile, len(f.keys)), make([]*brokenFile, len(f.keys))
	var logs = make([][]string, len(f.keys))
	var wait sync.WaitGroup
	for i, key := range f.keys {
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			wait.Wait()
			return surveyed{}, ctx.Err()
		}
		wait.Go(func() {
			defer func() { <-r.slots }()
			headers[i], logs[i], reasons[i] = r.file(ctx, f.root, key)
			r.read()
		})
	}
	wait.Wait()
	s := surveyed{place: f.place}
	parsed := map[string]warehouse.Location{}
	for i := range f.keys {
		if reasons[i] != nil {
			s.broken = append(s.broken, *reasons[i])
			continue
		}
		headers[i].Log = locations(logs[i], parsed)
		s.files = append(s.files, headers[i])
	}
	return s, ctx.Err()
}

// locations are the spelled ones, as far as they are any, one copy of each.
func locations(spelled []string, parsed map[string]warehouse.Location) []warehouse.Location {
	var all []warehouse.Location
	for _, at := range spelled {
		l, known := parsed[at]
		if !known {
			l, _ = warehouse.ParseLocation(at) // what is none is no file of ours
			parsed[at] = l
		}
		if !l.IsZero() {
			all = append(all, l)
		}
	}
	return all
}

// file reads one file.
func (r *reader) file(ctx context.Context, root int, key string) (metadataFile, []string, *brokenFile) {
	url := strings.TrimSuffix(r.roots[root].URL, "/") + "/" + key
	at, err := warehouse.ParseLocation(url)
	name := descent.Name{Spelled: url, Location: at}
	if err != nil {
		return metadataFile{}, nil, &brokenFile{Name: name, reason: oneLine(err)}
	}
	data, release, err := r.get(ctx, r.roots[root].Store, key)
	defer release()
	if err != nil {
		unseen := !errors.Is(err, warehouse.ErrTooLarge) && !errors.Is(err, warehouse.ErrLink) &&
			!errors.Is(err, warehouse.ErrInvalidKey) && !errors.Is(err, warehouse.ErrNotFound)
		return metadataFile{}, nil, &brokenFile{Name: name, reason: oneLine(err), unseen: unseen, gone: errors.Is(err, warehouse.ErrNotFound)}
	}
	h, err := readHeader(key, data)
	if err != nil {
		return metadataFile{}, nil, &brokenFile{Name: name, reason: oneLine(err)}
	}
	return metadataFile{
		File: descent.File{Name: name, UUID: h.uuid, LastUpdated: h.lastUpdated},
		home: h.location, size: int64(len(data)), sum: journal.Sum(data),
	}, h.log, nil
}

// get reads a file. Until it is released, it is the only large one in memory, if it is large.
func (r *reader) get(ctx context.Context, store warehouse.Reader, key string) (data []byte, release func(), err error) {
	data, err = store.Get(ctx, key, metadata.LargeFile(metadata.IsCompressedName(key)))
	if !errors.Is(err, warehouse.ErrTooLarge) {
		return data, func() {}, err
	}
	r.large <- struct{}{}
	data, err = store.Get(ctx, key, maxMetadata)
	return data, func() { <-r.large }, err
}
