package pointers

import (
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// objectColumns are what scanObject reads.
const objectColumns = `uuid, kind, state, namespace, name, location,
	metadata_location, size, sha256, encoding, document_sha256`

// objectRow is a row of objects on its way in.
type objectRow struct {
	o         projections.Object
	state     string
	namespace string
}

func (r *objectRow) into() []any {
	p := &r.o.Pointer
	return []any{
		fixed(r.o.UUID[:]), &r.o.Kind, &r.state, &r.namespace, &r.o.Identifier.Name, &r.o.Location,
		&p.MetadataLocation, &p.Size, fixed(p.SHA256[:]), &p.Encoding, fixed(p.DocumentSHA256[:]),
	}
}

func (r *objectRow) object() projections.Object {
	r.o.Identifier.Namespace = journal.NamespaceOfKey(r.namespace)
	return r.o
}

func (r *objectRow) live() bool { return r.state == "live" }

// FindObject looks the uuid up.
func (t *tables) FindObject(id uuid.UUID) (found projections.Object, live, ok bool, err error) {
	var r objectRow
	ok, err = t.row(`SELECT `+objectColumns+` FROM objects WHERE warehouse = ? AND uuid = ?`, t.id[:], id[:]).find(r.into()...)
	if err != nil || !ok {
		return projections.Object{}, false, false, err
	}
	return r.object(), r.live(), true, nil
}

// NameHolder looks the name up among the live.
func (t *tables) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	if id.Namespace.Check() != nil {
		return projections.Object{}, false, nil
	}
	var r objectRow
	ok, err := t.row(`SELECT `+objectColumns+` FROM objects INDEXED BY objects_name
		WHERE warehouse = ? AND namespace = ? AND name = ? AND state = 'live'`,
		t.id[:], id.Namespace.Key(), id.Name).find(r.into()...)
	if err != nil || !ok {
		return projections.Object{}, false, err
	}
	return r.object(), true, nil
}

// PutObject inserts or replaces.
func (t *tables) PutObject(o projections.Object) error { return t.putObject(o, "live") }

func (t *tables) putObject(o projections.Object, state string) error {
	p := o.Pointer
	return t.exec(`INSERT INTO objects (warehouse, `+objectColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (warehouse, uuid) DO UPDATE SET kind = excluded.kind, state = excluded.state,
			namespace = excluded.namespace, name = excluded.name, location = excluded.location,
			metadata_location = excluded.metadata_location, size = excluded.size, sha256 = excluded.sha256,
			encoding = excluded.encoding, document_sha256 = excluded.document_sha256`,
		t.id[:], o.UUID[:], string(o.Kind), state, o.Identifier.Namespace.Key(), o.Identifier.Name, o.Location,
		p.MetadataLocation, p.Size, p.SHA256[:], string(p.Encoding), p.DocumentSHA256[:])
}

// DropObject changes the state: the indexes of names hold only the live.
func (t *tables) DropObject(o projections.Object) error {
	return t.exec(`UPDATE objects SET state = 'dropped' WHERE warehouse = ? AND uuid = ?`, t.id[:], o.UUID[:])
}

// objectNames lists a page of the live objects of a kind.
func (t *tables) objectNames(in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	return t.names(`SELECT name FROM objects INDEXED BY objects_kind
		WHERE warehouse = ? AND namespace = ? AND kind = ? AND name > ? AND state = 'live' ORDER BY name LIMIT ?`,
		t.id[:], in.Key(), string(kind), page.After, limit(page))
}
