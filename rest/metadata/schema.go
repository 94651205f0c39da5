package metadata

import (
	"github.com/go-json-experiment/json/jsontext"
)

// schema is what is read of one schema.
type schema struct {
	id          int
	fields      []field
	identifiers []int
	highest     int // the highest field id in it, 0 when it has no fields
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
}

var (
	schemaWords = vocabulary{what: "schema", required: []string{"type", "fields"},
		optional: []string{"schema-id", "identifier-field-ids"}}
	fieldWords = vocabulary{what: "field", required: []string{"id", "name", "type", "required"},
		optional: []string{"doc", "initial-default", "write-default"}}
)

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
			f.initial != g.initial || f.write != g.write || f.of.name != g.of.name || !sameFields(f.of.fields, g.of.fields) {
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
