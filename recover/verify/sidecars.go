package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/sidecars"
)

// sidecars is the second half of level 2: what the sidecars say is what the journal's
// fold says, as far as their cursor says that they are written. What is behind it may be
// older, or newer, and is not told.
func (r *run) sidecars(ctx context.Context) error {
	if len(r.Roots) == 0 || r.Ephemeral || r.broken || r.source == nil {
		return nil
	}
	store := r.Roots[0].Store
	cursor, known, err := sidecars.ReadCursor(ctx, store)
	var unusable *sidecars.Unusable
	switch {
	case errors.As(err, &unusable):
		r.astray(unusable.Key, unusable.Error())
		return nil
	case err != nil:
		return err
	case !known || cursor.Incarnation != r.stands.Incarnation: // they are being written
		return nil
	}
	r.summary.SidecarsTo = cursor.Seq
	b := &besides{run: r, cursor: cursor, seen: map[uuid.UUID]bool{}, named: map[string]sidecars.Namespace{}}
	for found, err := range sidecars.List(ctx, store) {
		b.seen[stemOf(found.Key)] = true
		switch {
		case err != nil && found.Key == "" || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case err != nil:
			r.unseen(found.Key, err)
		case found.Err != nil:
			r.astray(found.Key, found.Err.Error())
		case found.Namespace != nil && found.Namespace.State == sidecars.Active && found.Namespace.Incarnation == cursor.Incarnation:
			b.named[found.Namespace.Name.Key()] = *found.Namespace
		case found.Object != nil:
			if err := b.object(ctx, found.Key, found.Object); err != nil {
				return err
			}
		}
	}
	if err := b.missing(ctx); err != nil {
		return err
	}
	return b.namespaces(ctx)
}

// stemOf is the uuid that the name of a sidecar says.
func stemOf(key string) uuid.UUID {
	id, _ := uuid.Parse(strings.TrimSuffix(path.Base(key), path.Ext(key)))
	return id
}

// besides compares sidecars with the fold.
type besides struct {
	*run
	cursor journal.Position // up to where all are written
	seen   map[uuid.UUID]bool
	named  map[string]sidecars.Namespace // of the cursor's incarnation
}

// astray tells of a sidecar that says something else. One of a table that this catalog
// does not have may be all that is known of it.
func (r *run) astray(place, message string) {
	f := Finding{Severity: Warning, Kind: KindSidecar, Place: place, Message: message}
	if _, live := slices.BinarySearchFunc(r.live, stemOf(place), byUUID); live {
		f.Next = "stop the server, delete this file, if it is there, and " + sidecars.Folder + "/cursor.json, and start it: what is missing is written again"
	}
	r.found(f)
}

// object compares a sidecar with the last step of its object.
func (b *besides) object(ctx context.Context, key string, s *sidecars.Object) error {
	if s.WarehouseID != uuid.Nil && s.WarehouseID != b.ID {
		b.astray(key, fmt.Sprintf("it is of warehouse %s", s.WarehouseID))
		return nil
	}
	last, known, err := b.source.LastStep(ctx, s.UUID)
	if err != nil {
		return err
	}
	past := s.Incarnation != b.cursor.Incarnation // and what it says may be of what was left
	switch {
	case !known && (past || s.Seq > b.stands.Seq && b.Now != nil):
	case !known:
		b.astray(key, fmt.Sprintf("it is of %s, which the journal does not have", s.UUID))
	case s.Seq > last.Seq && (past || s.Seq > b.stands.Seq && b.Now != nil):
	case s.Seq > last.Seq:
		b.astray(key, fmt.Sprintf("it is the state after event %d, the journal's last one of %s is %d", s.Seq, s.UUID, last.Seq))
	case s.Seq < last.Seq && last.Seq <= b.cursor.Seq:
		b.astray(key, fmt.Sprintf("it is the state after event %d: it was not written after event %d", s.Seq, last.Seq))
	case s.Seq == last.Seq:
		if wrong := says(s, last.Move); wrong != "" {
			b.astray(key, fmt.Sprintf("after event %d %s", s.Seq, wrong))
		}
	}
	return nil
}

// says tells how a sidecar differs from the move that it is the state after.
func says(s *sidecars.Object, m journal.Move) string {
	switch {
	case (m.To == nil) != (s.State == sidecars.Dropped):
		return fmt.Sprintf("it says %s of %s", s.State, s.UUID)
	case m.To == nil:
		return ""
	case s.MetadataLocation != m.To.Pointer.MetadataLocation:
		return fmt.Sprintf("it names %s, the journal %s", s.MetadataLocation, m.To.Pointer.MetadataLocation)
	case s.Identifier.Key() != m.To.Identifier.Key():
		return fmt.Sprintf("it is of %s, the journal says %s", s.Identifier.Quoted(), m.To.Identifier.Quoted())
	case !s.SHA256.IsZero() && s.SHA256 != m.To.Pointer.SHA256:
		return "its digest of the metadata file is not the journal's"
	}
	return ""
}

// missing tells of live objects that have no sidecar, and of which one was written.
func (b *besides) missing(ctx context.Context) error {
	for _, id := range b.live {
		if b.seen[id] {
			continue
		}
		last, known, err := b.source.LastStep(ctx, id)
		if err != nil {
			return err
		}
		if known && last.Seq <= b.cursor.Seq {
			b.astray(sidecars.Key(id), "it is missing")
		}
	}
	return nil
}

// namespaces compares those of a quiet catalog: nobody knows which event changed one last.
func (b *besides) namespaces(ctx context.Context) (err error) {
	source, ok := b.source.(projections.Warehouse)
	if !ok || b.cursor.Seq < b.stands.Seq || b.Now != nil {
		return nil
	}
	m, err := source.Moment(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for n, err := range m.Namespaces() {
		if err != nil {
			return err
		}
		held, there := b.named[n.Name.Key()]
		delete(b.named, n.Name.Key())
		switch {
		case !there:
			b.astray(sidecars.NamespaceKey(n.ID), fmt.Sprintf("the sidecar of namespace %s is missing", n.Name))
		case held.ID != n.ID || !maps.Equal(held.Properties, n.Properties):
			b.astray(sidecars.NamespaceKey(held.ID), fmt.Sprintf("it does not say what the journal says of namespace %s", n.Name))
		}
	}
	for _, n := range b.named {
		b.astray(sidecars.NamespaceKey(n.ID), fmt.Sprintf("namespace %s is not there", n.Name))
	}
	return nil
}
