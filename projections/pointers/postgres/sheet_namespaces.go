package postgres

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// keyOf stands for a namespace in indexes, whose entries are small: the first
// 16 bytes of the SHA-256 of its path.
func keyOf(n journal.Namespace) [16]byte {
	sum := sha256.Sum256([]byte(n.Key()))
	return [16]byte(sum[:16])
}

// FindNamespace finds by path. What could not be created is not there; its path could be
// another's, since a level with 0x1F looks like two.
func (s *sheet) FindNamespace(name journal.Namespace) (projections.Namespace, bool, error) {
	if name.Check() != nil {
		return projections.Namespace{}, false, nil
	}
	n, err := ask(s, s.namespaces, name.Key(), needs{namespaces: []journal.Namespace{name}})
	if n == nil {
		return projections.Namespace{}, false, err
	}
	return *n, true, err
}

// NamespaceOf finds by id.
func (s *sheet) NamespaceOf(id uuid.UUID) (journal.Namespace, bool, error) {
	name, err := ask(s, s.ids, id, needs{ids: []uuid.UUID{id}})
	if name == nil {
		return nil, false, err
	}
	return *name, true, err
}

// PutNamespace keeps a copy.
func (s *sheet) PutNamespace(n projections.Namespace) error {
	n.Name, n.Properties = slices.Clone(n.Name), maps.Clone(n.Properties)
	s.namespaces.put(n.Name.Key(), &n)
	s.ids.put(n.ID, &n.Name)
	return nil
}

// DropNamespace forgets it.
func (s *sheet) DropNamespace(n projections.Namespace) error {
	s.namespaces.put(n.Name.Key(), nil)
	s.ids.put(n.ID, nil)
	return nil
}

// Occupied asks what is to be in it, then what is stored there and is to stay.
func (s *sheet) Occupied(name journal.Namespace) (bool, error) {
	inside := func(n journal.Namespace) bool { return n.Equal(name) }
	var leave []uuid.UUID // keys of namespaces and uuids of objects
	for _, c := range s.namespaces.changed() {
		switch {
		case c.is != nil && inside(c.is.Name.Parent()):
			return true, nil
		case c.was != nil && c.is == nil && inside(c.was.Name.Parent()):
			leave = append(leave, keyOf(c.was.Name))
		}
	}
	for id, c := range s.objects.changed() {
		switch {
		case c.is.live() && inside(c.is.Identifier.Namespace):
			return true, nil
		case c.was.live() && inside(c.was.Identifier.Namespace):
			leave = append(leave, id)
		}
	}
	occupied, known := s.occupied[name.Key()]
	if !known {
		if err := s.fetch(needs{occupied: []journal.Namespace{name}}); err != nil {
			return false, err
		}
		occupied = s.occupied[name.Key()]
	}
	if !occupied || len(leave) == 0 {
		return occupied, nil
	}
	var batch pgx.Batch
	batch.Queue(selectOthers, s.id, keyOf(name), arrayOf(leave)).QueryRow(func(row pgx.Row) error { return row.Scan(&occupied) })
	return occupied, s.on.Send(s.ctx, &batch)
}

const (
	selectOccupied = `SELECT parent, EXISTS (SELECT FROM namespaces n WHERE n.warehouse = $1 AND n.parent = asked.parent)
		OR EXISTS (SELECT FROM objects o WHERE o.warehouse = $1 AND o.parent = asked.parent AND o.state = 1)
		FROM unnest($2::uuid[]) AS asked (parent)`
	selectOthers = `SELECT EXISTS (SELECT FROM namespaces WHERE warehouse = $1 AND parent = $2 AND key <> ALL($3))
		OR EXISTS (SELECT FROM objects WHERE warehouse = $1 AND parent = $2 AND state = 1 AND uuid <> ALL($3))`
)

func encodeProperties(properties map[string]string) ([]byte, error) {
	if properties == nil {
		properties = map[string]string{}
	}
	return json.Marshal(properties, json.Deterministic(true))
}

func decodeProperties(data []byte) (map[string]string, error) {
	properties := map[string]string{}
	if err := json.Unmarshal(data, &properties); err != nil {
		return nil, fmt.Errorf("%w: properties of a namespace: %w", pointers.ErrCorrupt, err)
	}
	return properties, nil
}
