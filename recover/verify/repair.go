package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// Repair is how to mend what a run found.
type Repair struct {
	DryRun bool      // say what would be done, and do nothing
	At     time.Time // names what is set aside
}

// Mend writes the metadata files again that a run found to be missing or changed,
// from the journal's documents, seals again what is gone from its archive, and tells
// what it did and what it cannot do. What lies there is first copied to
// FILE.broken-TIME. It touches nothing else. Stopped
// at any step it can be run again: what is right is left alone, and what was set
// aside is not set aside twice. The error is the context's.
func (m Repair) Mend(ctx context.Context, w Warehouse, of Result, sink Sink) error {
	r := &run{Warehouse: w, sink: sink, from: w.Journal.Warehouse(w.ID), source: of.source, level: 3}
	l := r.looks()
	copies := &copies{run: r, wanted: of.Broken}
	for _, o := range of.Broken {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := Finding{Severity: Note, Kind: KindRepaired, Place: o.Pointer.MetadataLocation}.of(o)
		did, err := m.mend(ctx, l, o, copies, of.Whole)
		var cannot *refused
		switch {
		case errors.As(err, &cannot):
			f.Severity, f.Kind, f.Message, f.Next = Error, KindRefused, cannot.reason, cannot.next
			r.found(f)
		case err != nil:
			r.unseen(o.Pointer.MetadataLocation, err)
		case did != "":
			f.Message = did
			r.found(f)
		}
	}
	r.level = 1
	return m.seal(ctx, r, of)
}

// refused is why something is not mended.
type refused struct{ reason, next string }

func (r *refused) Error() string { return r.reason }

// mend writes one file again, and says so; "" when there is nothing to do.
func (m Repair) mend(ctx context.Context, l *looks, o projections.Object, copies *copies, whole bool) (string, error) {
	if !whole {
		return "", &refused{"the journal is damaged, or not the newest: what it says of the file proves nothing", l.recoverCommand()}
	}
	if l.Now != nil {
		if now, live, err := standing(ctx, l.Now, o.UUID); err != nil || !live || now.Pointer != o.Pointer {
			return "", err // it has moved on
		}
	}
	there, wrong, err := readFile(ctx, l.reads(), o.Pointer)
	if err != nil || wrong == nil {
		return "", err
	}
	if name := l.external(o); name != "" {
		return "", &refused{"it is in the external warehouse " + name + ", which is only read", l.instead(ctx, o)}
	}
	if wrong.kind == KindForeign || wrong.kind == KindChanged && !wrong.read {
		return "", &refused{"what lies there cannot be copied first: " + wrong.reason, ""}
	}
	if wrong.read && there == nil {
		there, err = lies(ctx, l.Roots, o.Pointer.MetadataLocation, catalog.MaxMetadataBytes)
		switch {
		case errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrTooLarge):
			return "", &refused{"what lies there cannot be copied first: " + err.Error(), ""}
		case err != nil:
			return "", err
		}
	}
	file, seq, err := l.kept(ctx, o, copies)
	if err != nil {
		return "", err
	}
	return m.write(ctx, l.Roots, o.Pointer, file, lying{there, wrong.read}, seq)
}

// lying is what lies in the place of a file.
type lying struct {
	data []byte
	any  bool
}

// write puts a file in its place. What is there now was read just before.
func (m Repair) write(ctx context.Context, roots warehouse.Roots, p journal.Pointer, file []byte, there lying, seq journal.Seq) (string, error) {
	root, key, err := roots.Resolve(p.MetadataLocation)
	if err != nil {
		return "", err
	}
	aside := ""
	if there.any {
		if aside, err = m.aside(ctx, root.Store, key, there.data); err != nil {
			return "", err
		}
	}
	did := fmt.Sprintf("%d bytes are written again from event %s", len(file), seq)
	if m.DryRun {
		did = fmt.Sprintf("%d bytes would be written again from event %s", len(file), seq)
	}
	if aside != "" {
		did += "; what lies there is kept as " + aside
	}
	switch {
	case m.DryRun:
		return did, nil
	case !there.any:
		// Nothing is there. A crash leaves nothing, or the file.
		err = root.Store.Create(ctx, key, file)
	default:
		// What was there is durable under the other name. A crash leaves the one or
		// the other here.
		err = root.Store.Put(ctx, key, file)
	}
	return did, err
}

// aside copies what lies under a key to another one, durably, unless that was done
// before. It answers the name.
func (m Repair) aside(ctx context.Context, store warehouse.Store, key string, there []byte) (string, error) {
	prefix := key + ".broken-"
	for entry, err := range store.List(ctx, path.Dir(key)) {
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(entry.Key, prefix) || entry.Size != int64(len(there)) {
			continue
		}
		if held, err := store.Get(ctx, entry.Key, entry.Size); err == nil && bytes.Equal(held, there) {
			return path.Base(entry.Key), nil
		}
	}
	name := prefix + m.At.UTC().Format("20060102T150405.000Z")
	if m.DryRun {
		return path.Base(name), nil
	}
	return path.Base(name), store.Create(ctx, name, there)
}
