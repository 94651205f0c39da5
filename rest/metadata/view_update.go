package metadata

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ViewUpdate is one decoded update of a commit to a view. It never changes: the
// same value may be applied again, to newer metadata.
type ViewUpdate interface {
	// Action is the update's name in the REST specification.
	Action() string

	applyView(*viewBuilder) error
}

var viewActionWords = vocabulary{what: "view update", required: []string{"action"}}

// readViewUpdate decodes one update. Actions are matched in any case, as by the
// Java library; any other, those of tables included, is refused (case 92).
func readViewUpdate(raw jsontext.Value) (ViewUpdate, error) {
	var action string
	r := newReader(raw)
	if err := r.object(viewActionWords, func(string) error { return r.text(&action) }); err != nil {
		return nil, err
	}
	r = newReader(raw)
	switch action = strings.ToLower(action); action {
	case "assign-uuid", "upgrade-format-version", "add-schema", "set-location", "set-properties", "remove-properties":
		// These are said to tables in the same words.
		u, err := readUpdate(raw)
		shared, _ := u.(ViewUpdate)
		return shared, err
	case "add-view-version":
		return r.addViewVersion()
	case "set-current-view-version":
		return r.setCurrentViewVersion()
	}
	return nil, invalidf("unknown view update: %q", action)
}

// applyView changes nothing: a view's UUID is given when it is created.
func (u assignUUID) applyView(b *viewBuilder) error {
	if u.id != b.uuid {
		return invalidf("Cannot reassign uuid: the view has %s", b.uuid)
	}
	return nil
}

// applyView changes nothing: there is one version of the view spec.
func (u upgradeFormatVersion) applyView(b *viewBuilder) error {
	switch {
	case u.version < b.formatVersion:
		return invalidf("Cannot downgrade v%d view to v%d", b.formatVersion, u.version)
	case u.version > viewFormatVersion:
		return invalidf("Unsupported view format version: v%d (supported: v%d)", u.version, viewFormatVersion)
	}
	return nil
}

func (u setLocation) applyView(b *viewBuilder) error {
	b.location = u.location
	return nil
}

// applyView gives the schema the id of an equal one, or the next; the id that a
// client sends means nothing. A view may have the types of every table format.
func (u addSchema) applyView(b *viewBuilder) error {
	added := u.schema
	if err := added.checkNew(newestVersion); err != nil {
		return err
	}
	if equal, ok := b.schemas.find(added.same); ok {
		b.lastSchema = equal.id
		return nil
	}
	var err error
	if added.id, err = nextID(b.schemas, func(s schema) int { return s.id }, 0); err != nil {
		return err
	}
	raw, err := edited(u.raw, integer("schema-id", added.id))
	if err != nil {
		return err
	}
	b.schemas.append(added, rope{raw})
	b.lastSchema = added.id
	return nil
}

type addViewVersion struct {
	raw     jsontext.Value
	version viewVersion
}

func (addViewVersion) Action() string { return "add-view-version" }

func (r *reader) addViewVersion() (ViewUpdate, error) {
	raw, err := r.part(updateWords("add-view-version", "view-version"), "view-version")
	if err != nil {
		return nil, err
	}
	version, err := readViewVersion(newReader(raw))
	return addViewVersion{raw, version}, err
}

// applyView gives the version the id of an equal one, or the next: of two
// clients that add a version at once, both have chosen the same id. What the
// request then says of its id is meant of the one given.
func (u addViewVersion) applyView(b *viewBuilder) (err error) {
	added := u.version
	if err := added.checkNew(); err != nil {
		return err
	}
	if added.schema == lastAdded {
		if added.schema = b.lastSchema; added.schema == noID {
			return invalidf("Cannot set last added schema: no schema has been added")
		}
	}
	if _, ok := b.schema(added.schema); !ok {
		return invalidf("Cannot add version with unknown schema: %d", added.schema)
	}
	equal, ok := b.versions.find(func(v viewVersion) bool {
		return v.schema == added.schema && v.meaning == added.meaning
	})
	if ok {
		added.id = equal.id
	} else if added.id, err = b.addVersion(u.raw, added); err != nil {
		return err
	}
	b.sent[u.version.id] = added.id
	b.lastVersion = added.id
	return nil
}

// addVersion adds a version that is not there and returns its id.
func (b *viewBuilder) addVersion(raw jsontext.Value, added viewVersion) (int, error) {
	id, err := nextID(b.versions, func(v viewVersion) int { return v.id }, 1)
	if err != nil {
		return 0, err
	}
	added.id = id
	raw, err = edited(raw, integer("version-id", id), integer("schema-id", added.schema))
	if err != nil {
		return 0, err
	}
	b.versions.append(added, rope{raw})
	b.added[id] = true
	return id, nil
}

type setCurrentViewVersion struct{ id int }

func (setCurrentViewVersion) Action() string { return "set-current-view-version" }

func (r *reader) setCurrentViewVersion() (ViewUpdate, error) {
	id, err := r.number("set-current-view-version", "view-version-id")
	return setCurrentViewVersion{id}, err
}

func (u setCurrentViewVersion) applyView(b *viewBuilder) error {
	id := u.id
	if given, ok := b.sent[id]; ok {
		id = given
	}
	if u.id == lastAdded {
		if id = b.lastVersion; id == noID {
			return invalidf("Cannot set last version id: no version has been added")
		}
	}
	if _, ok := b.version(id); !ok {
		return invalidf("Cannot set current version to unknown version: %d", id)
	}
	b.current = id
	return nil
}
