package sqlite

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// FindNamespace looks the path up. What could not be created is not there; its
// path could be another's, since a level with 0x1F looks like two.
func (t *tables) FindNamespace(name journal.Namespace) (projections.Namespace, bool, error) {
	if name.Check() != nil {
		return projections.Namespace{}, false, nil
	}
	n := projections.Namespace{Name: name}
	var properties []byte
	ok, err := t.row(`SELECT id, properties FROM namespaces WHERE warehouse = ? AND path = ?`, t.id[:], name.Key()).
		find(fixed(n.ID[:]), &properties)
	if err != nil || !ok {
		return projections.Namespace{}, false, err
	}
	n.Properties, err = decodeProperties(properties)
	return n, true, err
}

// NamespaceOf looks the id up.
func (t *tables) NamespaceOf(id uuid.UUID) (journal.Namespace, bool, error) {
	var path string
	ok, err := t.row(`SELECT path FROM namespaces WHERE warehouse = ? AND id = ?`, t.id[:], id[:]).find(&path)
	return journal.NamespaceOfKey(path), ok, err
}

// PutNamespace inserts, or replaces properties.
func (t *tables) PutNamespace(n projections.Namespace) error {
	properties, err := encodeProperties(n.Properties)
	if err != nil {
		return err
	}
	parent, err := t.idOf(n.Name.Parent())
	if err != nil {
		return err
	}
	return t.exec(`INSERT INTO namespaces (warehouse, id, parent, name, path, properties) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (warehouse, id) DO UPDATE SET properties = excluded.properties`,
		t.id[:], n.ID[:], parent[:], n.Name.Name(), n.Name.Key(), properties)
}

// DropNamespace deletes.
func (t *tables) DropNamespace(n projections.Namespace) error {
	return t.exec(`DELETE FROM namespaces WHERE warehouse = ? AND id = ?`, t.id[:], n.ID[:])
}

// Occupied looks for a first child and a first object.
func (t *tables) Occupied(name journal.Namespace) (bool, error) {
	id, err := t.idOf(name)
	if err != nil {
		return false, err
	}
	var occupied bool
	err = t.row(`SELECT EXISTS (SELECT 1 FROM namespaces WHERE warehouse = ?1 AND parent = ?2)
		OR EXISTS (SELECT 1 FROM objects INDEXED BY objects_name WHERE warehouse = ?1 AND namespace = ?3 AND state = 'live')`,
		t.id[:], id[:], name.Key()).scan(&occupied)
	return occupied, err
}

// idOf is a namespace's id; that of the root is all zeros, as is that of none.
func (t *tables) idOf(name journal.Namespace) (id uuid.UUID, err error) {
	if !name.IsRoot() {
		_, err = t.row(`SELECT id FROM namespaces WHERE warehouse = ? AND path = ?`, t.id[:], name.Key()).find(fixed(id[:]))
	}
	return id, err
}

// joined puts the names that a query lists, in its order, into one value. 0x1F is in
// no name; of no names the value is NULL.
func joined(names string) string { return `SELECT group_concat(name, char(31)) FROM (` + names + `)` }

// childNames lists a page of the children of a namespace or of the root.
func (t *tables) childNames(of uuid.UUID, page projections.Page) ([]string, error) {
	names, _, err := t.list(joined(`SELECT name FROM namespaces WHERE warehouse = ? AND parent = ? AND name > ? ORDER BY name LIMIT ?`),
		t.id[:], of[:], page.After, limit(page))
	return names, err
}

// limit is SQL's: below zero there is none.
func limit(page projections.Page) int {
	if page.Limit <= 0 {
		return -1
	}
	return page.Limit
}

func encodeProperties(properties map[string]string) ([]byte, error) {
	return json.Marshal(properties, json.Deterministic(true))
}

func decodeProperties(data []byte) (map[string]string, error) {
	properties := map[string]string{}
	if err := json.Unmarshal(data, &properties); err != nil {
		return nil, fmt.Errorf("%w: properties of a namespace: %w", pointers.ErrCorrupt, err)
	}
	return properties, nil
}
