package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

var viewWords = vocabulary{what: "view metadata",
	required: []string{"view-uuid", "format-version", "location", "schemas", "current-version-id", "versions", "version-log"},
	optional: []string{"properties"}}

// ParseView reads the inflated bytes of a view's metadata file strictly. The
// location is kept as it is given. The view holds on to file, which must not be
// modified afterwards. Errors: *Invalid for anything that the Java library would
// refuse to load or that two readers could read differently.
func ParseView(file []byte, metadataLocation string) (*View, error) {
	top, err := cutFile(file, viewWords.what)
	if err != nil {
		return nil, err
	}
	v := &View{bytes: file, metadataLocation: metadataLocation, top: top, state: newViewState(uuid.Nil)}
	r := newReader(file)
	err = r.object(viewWords, func(name string) error {
		raw, err := r.value()
		if err != nil {
			return err
		}
		return v.state.readMember(name, raw)
	})
	if err != nil {
		return nil, err
	}
	if err := v.state.check(); err != nil {
		return nil, err
	}
	return v, nil
}

func (s *viewState) readMember(name string, raw jsontext.Value) (err error) {
	r := newReader(raw)
	switch name {
	case "view-uuid":
		var text string
		if err = r.text(&text); err == nil {
			s.uuid, err = parseUUID(text)
		}
	case "format-version":
		err = r.int(&s.formatVersion)
	case "location":
		err = r.text(&s.location)
	case "current-version-id":
		err = r.int(&s.current)
	case "properties":
		s.properties, err = cutObject(r, name, readProperty)
	case "schemas":
		s.schemas, err = cutViewList(raw, name, readSchema)
	case "versions":
		s.versions, err = cutViewList(raw, name, readViewVersion)
	case "version-log":
		s.history, err = cutViewList(raw, name, readViewHistoryEntry)
	}
	return err
}

// cutViewList leaves it to its caller to say whose list it is.
func cutViewList[T any](raw jsontext.Value, what string, read func(*reader) (T, error)) (sequence[T], error) {
	if raw.Kind() != '[' {
		return sequence[T]{}, newReader(raw).unexpected("an array")
	}
	return cutArray(raw, what, read)
}

// check finds what makes a file one that the Java library refuses to load or to
// use: the checks of its ViewMetadata.
func (s *viewState) check() error {
	if s.formatVersion != viewFormatVersion {
		return invalidf("Unsupported view format version: v%d (supported: v%d)", s.formatVersion, viewFormatVersion)
	}
	if s.location == "" {
		return invalidf("invalid view metadata: empty location")
	}
	if id, ok := repeated(s.schemas, func(c schema) int { return c.id }); ok {
		return invalidf("invalid view metadata: more than one schema with id %d", id)
	}
	if id, ok := repeated(s.versions, func(c viewVersion) int { return c.id }); ok {
		return invalidf("invalid view metadata: more than one version with id %d", id)
	}
	current, ok := s.version(s.current)
	if !ok {
		return invalidf("Cannot find current version %d in view versions", s.current)
	}
	if _, ok := s.schema(current.schema); !ok {
		return invalidf("Cannot find current schema with id %d in schemas", current.schema)
	}
	return nil
}
