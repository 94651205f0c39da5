package metadata

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// schema is what is read of one schema.
type schema struct {
	id          int
	fields      []field
	identifiers []int
	highest     int // the highest field id in it, 0 when it has no fields

	nullDefaults bool // a field's default value is spelled null
}

// field is a column, a member of a struct, the element of a list, or the key or
// the value of a map.
type field struct {
	id       int
	name     string
	required bool
	of       dataType
	doc      string
	initial  string // default values in compact JSON, "" for none
	write    string

	nullDefault bool // one of them is spelled null
}

var (
	schemaWords = vocabulary{what: "schema", required: []string{"type", "fields"},
		optional: []string{"schema-id", "identifier-field-ids"}}
	fieldWords = vocabulary{what: "field", required: []string{"id", "name", "type", "required"},
		optional: []string{"doc", "initial-default", "write-default"}}
)

// readStoredSchema reads a schema of a file, where a default that is null is not
// there, as the Java library has it.
func readStoredSchema(r *reader) (schema, error) {
	s, err := readSchema(r)
	if err == nil && s.nullDefaults {
		err = invalidf("invalid schema %d: a default value must not be null", s.id)
	}
	return s, err
}

// readNewSchema reads a schema from a client, and returns its text without
// defaults that are null.
func readNewSchema(raw jsontext.Value) (jsontext.Value, schema, error) {
	s, err := readSchema(newReader(raw))
	if err != nil || !s.nullDefaults {
		return raw, s, err
	}
	if raw, err = withoutNullDefaults(raw); err == nil {
		s, err = readSchema(newReader(raw))
	}
	return raw, s, err
}

// withoutNullDefaults returns the text of a type, or of a schema, without
// defaults that are null.
func withoutNullDefaults(raw jsontext.Value) (jsontext.Value, error) {
	if raw.Kind() != '{' {
		return raw, nil
	}
	field := func(f jsontext.Value) (jsontext.Value, error) {
		o, err := cutMembers(newReader(f), "field")
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"initial-default", "write-default"} {
			if value, ok := o.get(name); ok && value.Kind() == 'n' {
				o.drop(name)
			}
		}
		return changed(o.render().bytes(), change{"type", withoutNullDefaults})
	}
	fields := func(v jsontext.Value) (jsontext.Value, error) { return eachElement(v, field) }
	return changed(raw, change{"fields", fields}, change{"element", withoutNullDefaults},
		change{"key", withoutNullDefaults}, change{"value", withoutNullDefaults})
}

// readSchema reads and checks a schema, whatever its format version.
func readSchema(r *reader) (schema, error) {
	var s schema
	var kind string
	err := r.object(schemaWords, func(name string) error {
		switch name {
		case "type":
			return r.text(&kind)
		case "fields":
			return r.fields(&s.fields, 0)
		case "schema-id":
			return orNull(r, r.int, &s.id)
		default:
			return orNull(r, r.ints, &s.identifiers)
		}
	})
	if err == nil && kind != "struct" {
		err = invalidf("invalid schema: type must be struct: %s", kind)
	}
	if err != nil {
		return s, err
	}
	return s, s.check()
}

func (r *reader) fields(into *[]field, depth int) error {
	return r.array(func() error {
		f, err := r.field(depth)
		*into = append(*into, f)
		return err
	})
}

func (r *reader) field(depth int) (field, error) {
	var f field
	var initial, write jsontext.Value
	err := r.object(fieldWords, func(name string) (err error) {
		switch name {
		case "id":
			return r.int(&f.id)
		case "name":
			return r.text(&f.name)
		case "type":
			return r.dataType(&f.of, depth+1)
		case "required":
			return r.bool(&f.required)
		case "doc":
			return orNull(r, r.text, &f.doc)
		case "initial-default":
			initial, err = r.value()
			return err
		default:
			write, err = r.value()
			return err
		}
	})
	if err != nil {
		return f, err
	}
	f.nullDefault = initial.Kind() == 'n' || write.Kind() == 'n'
	if f.initial, err = readDefault(f, "initial-default", initial); err != nil {
		return f, err
	}
	f.write, err = readDefault(f, "write-default", write)
	return f, err
}

func (r *reader) ints(into *[]int) error {
	return r.array(func() error {
		var n int
		err := r.int(&n)
		*into = append(*into, n)
		return err
	})
}

// same tells whether two schemas are the same but for their ids: the Java
// library's Schema.sameSchema.
func (s schema) same(other schema) bool {
	if !sameFields(s.fields, other.fields) {
		return false
	}
	mine, theirs := setOf(s.identifiers), setOf(other.identifiers)
	for id := range mine {
		if !theirs[id] {
			return false
		}
	}
	return len(mine) == len(theirs)
}

func sameFields(a, b []field) bool {
	if len(a) != len(b) {
		return false
	}
	for i, f := range a {
		g := b[i]
		if f.id != g.id || f.name != g.name || f.required != g.required || f.doc != g.doc ||
			f.initial != g.initial || f.write != g.write || !strings.EqualFold(f.of.name, g.of.name) || !sameFields(f.of.fields, g.of.fields) {
			return false
		}
	}
	return true
}

// find returns the way to a field, outermost first, or nil.
func (s schema) find(id int) []field { return findField(s.fields, id) }

func findField(fields []field, id int) []field {
	for _, f := range fields {
		if f.id == id {
			return []field{f}
		}
		if path := findField(f.of.fields, id); path != nil {
			return append([]field{f}, path...)
		}
	}
	return nil
}

// each visits every field with its full name, such as a.element.b.
func (s schema) each(visit func(path string, f field) error) error {
	return eachField("", s.fields, visit)
}

func eachField(prefix string, fields []field, visit func(string, field) error) error {
	for _, f := range fields {
		if err := visit(prefix+f.name, f); err != nil {
			return err
		}
		if err := eachField(prefix+f.name+".", f.of.fields, visit); err != nil {
			return err
		}
	}
	return nil
}

// named returns the id of the field with a full name. Structs in lists and maps
// are also found without the word element or value, as in the Java library.
func (s schema) named(name string) (int, bool) {
	if id, ok := namedField(s.fields, name, "", false); ok {
		return id, true
	}
	return namedField(s.fields, name, "", true)
}

func namedField(fields []field, name, prefix string, short bool) (int, bool) {
	for _, f := range fields {
		if prefix+f.name == name {
			return f.id, true
		}
		inner := prefix + f.name + "."
		if short && f.of.name == typeStruct && f.inCollection() {
			inner = prefix
		}
		if id, ok := namedField(f.of.fields, name, inner, short); ok {
			return id, true
		}
	}
	return 0, false
}

func setOf(ids []int) map[int]bool {
	set := make(map[int]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// inCollection tells whether a field is the element of a list or the value of a
// map. Columns of those names are the same to short names, which only look up.
func (f field) inCollection() bool { return f.name == "element" || f.name == "value" }
