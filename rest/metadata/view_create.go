package metadata

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// NewView is what a create request says.
type NewView struct {
	UUID            uuid.UUID
	Location        string
	Schema, Version jsontext.Value
	Properties      map[string]string
}

// CreateView makes the first metadata of a view, at 00000-<fresh> in its
// metadata folder. Its schema gets id 0 and keeps its field ids, its version
// gets id 1 and the schema's id, whatever ids the request says. CreateView is a
// pure function. Errors: *Invalid, *DuplicateDialect among them.
func CreateView(v NewView, at time.Time, fresh uuid.UUID) (*View, error) {
	if v.UUID == uuid.Nil {
		return nil, invalidf("Cannot create a view without a UUID")
	}
	updates, err := v.updates()
	if err != nil {
		return nil, err
	}
	b := newViewBuilder(nil, v.UUID, at)
	if err := b.apply(updates); err != nil {
		return nil, err
	}
	return b.build(fresh)
}

// updates says the same as the updates of a commit that makes the view.
func (v NewView) updates() ([]ViewUpdate, error) {
	if v.Location == "" || !utf8.ValidString(v.Location) {
		return nil, invalidf("Cannot create a view: invalid location: %q", v.Location)
	}
	properties, err := v.properties()
	if err != nil {
		return nil, err
	}
	if err := checkText(v.Schema, schemaWords.what); err != nil {
		return nil, err
	}
	schema, err := readSchema(newReader(v.Schema))
	if err != nil {
		return nil, err
	}
	if err := checkText(v.Version, viewVersionWords.what); err != nil {
		return nil, err
	}
	version, err := readViewVersion(newReader(v.Version))
	if err != nil {
		return nil, err
	}
	version.schema = lastAdded
	return []ViewUpdate{
		setLocation{strings.TrimRight(v.Location, "/")}, properties,
		addSchema{v.Schema, schema}, addViewVersion{v.Version, version}, setCurrentViewVersion{lastAdded},
	}, nil
}

func (v NewView) properties() (setProperties, error) {
	var u setProperties
	for _, key := range slices.Sorted(maps.Keys(v.Properties)) {
		value := v.Properties[key]
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return u, invalidf("View property %q is not valid UTF-8", key)
		}
		u.updates = append(u.updates, property{key, value})
	}
	return u, nil
}
