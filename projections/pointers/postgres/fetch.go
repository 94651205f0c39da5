package postgres

import (
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// queueNeeds asks for rows that the sheet does not know. When the batch has been read it
// knows of all of them, also that they are not there.
func (s *sheet) queueNeeds(batch *pgx.Batch, n needs) {
	s.queueNamespaces(batch, n)
	s.queueObjects(batch, n)
	s.queuePlaces(batch, n.places)
	purges := unknown(s.purges, n.purges)
	queue(batch, purges, selectPurges, []any{s.id, arrayOf(purges)}, func(row pgx.Rows) error {
		var r purgeRow
		if err := row.Scan(r.into()...); err != nil {
			return err
		}
		p, err := r.purge()
		s.purges.found(p.Table, &p)
		return err
	}, s.purges.found)
	ends := unknown(s.ends, n.ends)
	queue(batch, ends, selectEnds, []any{s.id, arrayOf(ends)}, func(row pgx.Rows) error {
		var id uuid.UUID
		var what []byte
		if err := row.Scan((*[16]byte)(&id), &what); err != nil {
			return err
		}
		step, _, err := pointers.UnpackStep(what)
		end := step.End()
		s.ends.found(id, &end)
		return err
	}, s.ends.found)
}

// unknown are the keys of which nothing is known, each once.
func unknown[K comparable, V any](r rows[K, V], keys []K) (left []K) {
	var met map[K]bool
	for _, key := range keys {
		if _, known := r.get(key); known || met[key] {
			continue
		}
		if met == nil {
			met = make(map[K]bool, len(keys))
		}
		met[key] = true
		left = append(left, key)
	}
	return left
}

// queue asks for the rows of keys, if any, and says in the end that there are no others.
func queue[K comparable, V any](batch *pgx.Batch, keys []K, sql string, args []any, scan func(pgx.Rows) error, found func(K, *V)) {
	if len(keys) == 0 {
		return
	}
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		for _, key := range keys {
			found(key, nil)
		}
		return rows.Err()
	})
}

// arrayOf is what SQL takes for uuids.
func arrayOf(ids []uuid.UUID) [][16]byte {
	array := make([][16]byte, len(ids))
	for i, id := range ids {
		array[i] = id
	}
	return array
}

const (
	namespaceColumns = `id, path, properties`
	selectNamespaces = `SELECT ` + namespaceColumns + ` FROM namespaces WHERE warehouse = $1 AND key = ANY($2)`
	selectIDs        = `SELECT ` + namespaceColumns + ` FROM namespaces WHERE warehouse = $1 AND id = ANY($2)`
	selectPurges     = `SELECT ` + purgeColumns + ` FROM purges WHERE warehouse = $1 AND uuid = ANY($2)`
	selectEnds       = `SELECT asked.object, last.what FROM unnest($2::uuid[]) AS asked (object) CROSS JOIN LATERAL (
		SELECT what FROM history h WHERE h.warehouse = $1 AND h.object = asked.object ORDER BY step DESC LIMIT 1) AS last`
)

func (s *sheet) queueNamespaces(batch *pgx.Batch, n needs) {
	scan := func(row pgx.Rows) error {
		n, err := scanNamespace(row)
		s.namespaces.found(n.Name.Key(), &n)
		s.ids.found(n.ID, &n.Name)
		return err
	}
	var paths []string
	var keys []uuid.UUID
	for _, name := range n.namespaces {
		paths = append(paths, name.Key())
	}
	paths = unknown(s.namespaces, paths)
	for _, path := range paths {
		keys = append(keys, keyOf(journal.NamespaceOfKey(path)))
	}
	queue(batch, paths, selectNamespaces, []any{s.id, arrayOf(keys)}, scan, s.namespaces.found)
	ids := unknown(s.ids, n.ids)
	queue(batch, ids, selectIDs, []any{s.id, arrayOf(ids)}, scan, s.ids.found)
	s.queueOccupied(batch, n.occupied)
}

func scanNamespace(row pgx.Row) (n projections.Namespace, err error) {
	var path, properties []byte
	if err := row.Scan((*[16]byte)(&n.ID), &path, &properties); err != nil {
		return n, err
	}
	n.Name = journal.NamespaceOfKey(string(path))
	n.Properties, err = decodeProperties(properties)
	return n, err
}

func (s *sheet) queueOccupied(batch *pgx.Batch, names []journal.Namespace) {
	asked := map[uuid.UUID]string{}
	var keys [][16]byte
	for _, name := range names {
		asked[keyOf(name)] = name.Key()
		keys = append(keys, keyOf(name))
	}
	if len(keys) == 0 {
		return
	}
	batch.Queue(selectOccupied, s.id, keys).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var key uuid.UUID
			var occupied bool
			if err := rows.Scan((*[16]byte)(&key), &occupied); err != nil {
				return err
			}
			s.occupied[asked[key]] = occupied
		}
		return rows.Err()
	})
}

const (
	objectColumns = `uuid, kind, state, namespace, name, step, held`
	selectObjects = `SELECT ` + objectColumns + ` FROM objects WHERE warehouse = $1 AND uuid = ANY($2)`
	selectNamed   = `SELECT o.* FROM unnest($2::uuid[], $3::bytea[]) AS asked (parent, name) CROSS JOIN LATERAL (
		SELECT ` + objectColumns + ` FROM objects o
		WHERE o.warehouse = $1 AND o.parent = asked.parent AND o.name = asked.name AND o.state = 1 LIMIT 1) AS o`
)

func (s *sheet) queueObjects(batch *pgx.Batch, n needs) {
	scan := func(row pgx.Rows) error {
		var r objectRow
		o, err := r.scan(row)
		if err != nil {
			return err
		}
		s.objects.found(o.UUID, o)
		if !o.live() {
			return nil
		}
		s.names.found(namingOf(o.Identifier), &o.UUID)
		for _, p := range o.Places {
			s.places.found(p.Path, &o.UUID)
		}
		return nil
	}
	objects := unknown(s.objects, n.objects)
	queue(batch, objects, selectObjects, []any{s.id, arrayOf(objects)}, scan, s.objects.found)
	var names []naming
	for _, id := range n.names {
		names = append(names, namingOf(id))
	}
	names = unknown(s.names, names)
	parents, texts := make([][16]byte, len(names)), make([][]byte, len(names))
	for i, n := range names {
		parents[i], texts[i] = n.parent, []byte(n.name)
	}
	queue(batch, names, selectNamed, []any{s.id, parents, texts}, scan, s.names.found)
}

// How many places below a path are asked for at once: few first, and then the more the
// more of them did not count.
const (
	fewPlaces  = 2
	morePlaces = 8 // times as many
	mostPlaces = 1024
)

const (
	startOfPath  = `substring(path FROM 1 FOR 512)` // as the index has it
	selectPlaces = `SELECT path, uuid FROM places WHERE warehouse = $1 AND ` + startOfPath + ` = ANY($2) AND path = ANY($3)`
	// What lies below a path that ends in a slash comes before the path that ends
	// in the byte after a slash.
	selectBelow = `SELECT asked.path, below.* FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS asked (path, after, before)
		CROSS JOIN LATERAL (SELECT path, uuid FROM places p WHERE p.warehouse = $1
			AND ` + startOfPath + ` >= substring(asked.after FROM 1 FOR 512) AND ` + startOfPath + ` <= substring(asked.before FROM 1 FOR 512)
			AND path > asked.after AND path < asked.before ORDER BY ` + startOfPath + `, path LIMIT $5) AS below`
)

// queuePlaces asks for all folders above paths, and for the first places below them.
func (s *sheet) queuePlaces(batch *pgx.Batch, paths []string) {
	var above, below []string
	for _, path := range paths {
		above = append(above, projections.PlacesAbove(path)...)
		if _, known := s.next[path]; !known {
			s.next[path] = nil // there are none, unless the query says so
			below = append(below, path)
		}
	}
	above = unknown(s.places, above)
	queue(batch, above, selectPlaces, []any{s.id, startsOf(above), bytesOf(above)}, func(row pgx.Rows) error {
		var path []byte
		var holder uuid.UUID
		err := row.Scan(&path, (*[16]byte)(&holder))
		s.places.found(string(path), &holder)
		return err
	}, s.places.found)
	if len(below) > 0 {
		queueBelow(batch, s.id, below, below, fewPlaces, func(path string, p []place) { s.next[path] = p })
	}
}

// queueBelow asks for the first places below paths, each after another, and hands those
// of each path over that has some.
func queueBelow(batch *pgx.Batch, id uuid.UUID, paths, afters []string, limit int, hand func(path string, p []place)) {
	before := make([][]byte, len(paths))
	for i, path := range paths {
		before[i] = []byte(strings.TrimSuffix(path, "/") + "0")
	}
	batch.Queue(selectBelow, id, bytesOf(paths), bytesOf(afters), before, limit).Query(func(rows pgx.Rows) error {
		found := map[string][]place{}
		for _, path := range paths {
			found[path] = nil
		}
		for rows.Next() {
			var of, path []byte
			var holder uuid.UUID
			if err := rows.Scan(&of, &path, (*[16]byte)(&holder)); err != nil {
				return err
			}
			found[string(of)] = append(found[string(of)], place{string(path), holder})
		}
		for path, p := range found {
			hand(path, p)
		}
		return rows.Err()
	})
}

// startsOf are the paths as their index has them.
func startsOf(paths []string) [][]byte {
	starts := make([][]byte, len(paths))
	for i, path := range paths {
		starts[i] = []byte(path[:min(len(path), 512)])
	}
	return starts
}

func bytesOf(texts []string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}
