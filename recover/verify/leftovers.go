package verify

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// maxLeftovers bounds what is told of files that nobody needs.
const maxLeftovers = 100

// leftovers is the end of level 4: it lists what writes that were cut off have left
// outside of the folders of tables, which were looked at: bytes under a temporary
// name, and metadata files that no event names. Nothing is wrong with a catalog
// that has some, and nothing deletes them.
func (r *run) leftovers(ctx context.Context) error {
	if r.fold == nil {
		return errors.New("the journal is damaged: nobody knows which files it names")
	}
	named, err := r.named(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, root := range r.Roots {
		for entry, err := range find(ctx, root.Store) {
			if err != nil {
				return err
			}
			at := strings.TrimSuffix(root.URL, "/") + "/" + entry.Key
			why, left := r.left(ctx, root.Store, entry, at, named, n < maxLeftovers)
			if left && !r.settled(entry.Info) {
				r.passedOver(young{1, entry.Modified})
			}
			if !left || !r.settled(entry.Info) {
				continue
			}
			if n++; n > maxLeftovers {
				continue
			}
			age := ""
			if entry.Modified != 0 {
				age = fmt.Sprintf(", %s old", r.Began.Sub(time.Unix(0, entry.Modified)).Round(time.Second))
			}
			r.found(Finding{Severity: Note, Kind: KindLeftover, Place: at, Message: fmt.Sprintf("%s (%d bytes%s)", why, entry.Size, age)})
		}
	}
	if n > maxLeftovers {
		r.found(Finding{Severity: Note, Kind: KindLeftover, Place: r.Location, Message: fmt.Sprintf("and %d more such files", n-maxLeftovers)})
	}
	return nil
}

// find yields the files that could be leftovers.
func find(ctx context.Context, store warehouse.Store) iter.Seq2[warehouse.Entry, error] {
	if f, ok := store.(warehouse.Finder); ok {
		return f.Find(ctx, func(name string) bool {
			return strings.HasPrefix(name, warehouse.TempPrefix) || metadata.IsFileName(name)
		})
	}
	return func(yield func(warehouse.Entry, error) bool) {
		for entry, err := range store.List(ctx, "") {
			if (err != nil || metadata.IsFileName(entry.Key)) && !yield(entry, err) {
				return
			}
		}
	}
}

// left says what a file is that nobody needs.
func (r *run) left(ctx context.Context, store warehouse.Store, e warehouse.Entry, at string, named *names, read bool) (why string, left bool) {
	switch {
	case strings.HasPrefix(path.Base(e.Key), warehouse.TempPrefix):
		return "it is what a write that was cut off has left: nobody reads it", true
	case named.has(at) || named.has(folder(at)):
		return "", false
	case read && r.torn(ctx, store, e, at):
		return "no event names it, and it does not parse: a create was cut off, or another program put it there", true
	}
	return "no event names it: a create was not recorded, or the table is in no catalog or in another one", true
}

// torn tells whether a file is no metadata of a table or view.
func (r *run) torn(ctx context.Context, store warehouse.Store, e warehouse.Entry, at string) bool {
	if metadata.IsCompressedName(e.Key) {
		return false
	}
	text, err := store.Get(ctx, e.Key, catalog.MaxMetadataBytes)
	if err != nil {
		return false
	}
	_, asTable := metadata.Parse(text, at)
	_, asView := metadata.ParseView(text, at)
	return asTable != nil && asView != nil
}

// names are paths of files that events name and of folders of tables that were looked
// at, by their hash: two of one hash only leave a note untold.
type names struct {
	seed   maphash.Seed
	hashes []uint64
}

func (n *names) add(location string) { n.hashes = append(n.hashes, n.hash(location)) }

func (n *names) hash(location string) uint64 { return maphash.String(n.seed, catalog.Path(location)) }

func (n *names) has(location string) bool {
	_, ok := slices.BinarySearch(n.hashes, n.hash(location))
	return ok
}

func folder(location string) string { return location[:strings.LastIndexByte(location, '/')] }

// named gathers them from the events of all incarnations, and from the fold.
func (r *run) named(ctx context.Context) (n *names, err error) {
	n = &names{seed: maphash.MakeSeed()}
	incarnations, err := r.Journal.Incarnations(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, i := range incarnations {
		if err := n.events(r.Journal.Incarnation(r.ID, i.ID).Scan(ctx, 0)); err != nil {
			return nil, err
		}
	}
	m, err := r.fold.Moment(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for o, err := range m.Objects() {
		if err != nil {
			return nil, err
		}
		if !o.Dropped && o.Kind == journal.Table {
			n.add(folder(o.Pointer.MetadataLocation))
			n.add(strings.TrimSuffix(o.Location, "/") + "/metadata")
		}
	}
	slices.Sort(n.hashes)
	return n, nil
}

// events adds the files that they name.
func (n *names) events(all iter.Seq2[journal.Event, error]) error {
	for e, err := range all {
		if err != nil {
			return err
		}
		for at := range fileNames(e) {
			n.add(at)
		}
	}
	return nil
}

// fileNames yields the metadata files that an event names, also as imported history.
func fileNames(e journal.Event) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range e.Moves() {
			if m.To != nil && !yield(m.To.Pointer.MetadataLocation) {
				return
			}
		}
		old, _ := e.Body.(journal.HistoryImported)
		for _, step := range old.Steps {
			if step.Move.To != nil && !yield(step.Move.To.Pointer.MetadataLocation) {
				return
			}
		}
	}
}
