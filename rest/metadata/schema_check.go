package metadata

import (
	"cmp"
	"fmt"
	"strings"
)

// highestFieldID is the highest id a column may have; those above are reserved
// for metadata columns (table spec, reserved field ids; case 11).
const highestFieldID = 2147483447

// check finds what makes a schema unreadable: duplicate ids or names, negative
// ids and wrong identifier fields. It notes the highest id.
func (s *schema) check() error {
	names := map[int]string{}
	ids := map[string]int{}
	err := s.each(func(path string, f field) error {
		if f.id < 0 {
			return invalidf("Invalid schema: field %s has negative id %d", path, f.id)
		}
		if other, ok := names[f.id]; ok {
			return invalidf("Invalid schema: multiple fields for id %d: %s and %s", f.id, other, path)
		}
		if other, ok := ids[path]; ok {
			return invalidf("Invalid schema: multiple fields for name %s: %d and %d", path, other, f.id)
		}
		if f.required && f.of.name == "unknown" {
			return invalidf("Cannot create required field with unknown type: %s", path)
		}
		s.nullDefaults = s.nullDefaults || f.nullDefault
		names[f.id], ids[path] = path, f.id
		s.highest = max(s.highest, f.id)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range s.identifiers {
		if err := s.checkIdentifier(id); err != nil {
			return err
		}
	}
	return nil
}

// checkIdentifier follows the Java library's Schema.validateIdentifierField.
func (s *schema) checkIdentifier(id int) error {
	path := s.find(id)
	if path == nil {
		return invalidf("Cannot add field with id %d as an identifier field: it does not exist", id)
	}
	for i, f := range path {
		last := i == len(path)-1
		switch {
		case !f.required:
			return invalidf("Cannot add field %s as an identifier field: %s is not required", path[len(path)-1].name, f.name)
		case last && !f.of.primitive():
			return invalidf("Cannot add field %s as an identifier field: not a primitive type field", f.name)
		case last && (f.of.name == "float" || f.of.name == "double"):
			return invalidf("Cannot add field %s as an identifier field: must not be float or double field", f.name)
		case !last && f.of.name != typeStruct:
			return invalidf("Cannot add field %s as an identifier field: must not be nested in %s", path[len(path)-1].name, f.of.name)
		}
	}
	return nil
}

// checkNew finds what a schema that a client adds may not have in a format
// version: reserved ids, types and defaults of later versions, and defaults of
// nested types, which the spec allows but the Java library does not load.
func (s *schema) checkNew(version int) error {
	var problems []string
	err := s.each(func(path string, f field) error {
		if f.id > highestFieldID {
			return invalidf("Invalid schema: field id %d of %s is reserved (highest: %d)", f.id, path, highestFieldID)
		}
		if since := f.of.since(); since > version {
			problems = append(problems, fmt.Sprintf("- Invalid type for %s: %s is not supported until v%d", path, f.of.name, since))
		}
		if !f.of.primitive() && f.initial+f.write != "" {
			problems = append(problems, fmt.Sprintf("- Invalid default value for %s: %s (must be null)", path, cmp.Or(f.initial, f.write)))
		}
		if f.initial != "" && version < 3 {
			problems = append(problems, fmt.Sprintf("- Invalid initial default for %s: non-null default (%s) is not supported until v3", path, f.initial))
		}
		return nil
	})
	if err == nil && problems != nil {
		err = invalidf("Invalid schema for v%d:\n%s", version, strings.Join(problems, "\n"))
	}
	return err
}
