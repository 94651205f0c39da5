package rest

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
)

// object is a request's JSON object, its members still raw. Reading it is strict
// (case 29): no key twice, no known key in other letters, nothing after it, valid
// UTF-8 throughout. Unknown keys are ignored; null is as good as absent.
type object struct {
	what    string // for messages
	members map[string]jsontext.Value
}

// readObject reads one object. what names it in messages.
func readObject(what string, data []byte, known ...string) (object, error) {
	members, ok := members(data)
	if !ok {
		return object{}, badRequest("%s is not one JSON object in valid UTF-8 without duplicate keys", what)
	}
	for key, value := range members {
		for _, name := range known {
			if key != name && strings.EqualFold(key, name) {
				return object{}, badRequest("%s has the key %q, which must be written %q", what, key, name)
			}
		}
		if value.Kind() == 'n' {
			delete(members, key)
		}
	}
	return object{what, members}, nil
}

func members(data []byte) (m map[string]jsontext.Value, ok bool) {
	err := json.Unmarshal(data, &m)
	return m, err == nil && m != nil
}

// raw is a member as it was sent; nil when absent.
func (o object) raw(key string) jsontext.Value { return o.members[key] }

// text reads an optional string.
func (o object) text(key string) (string, error) {
	var s string
	return s, o.member(key, "a string", '"', &s)
}

// name reads a string that must be there.
func (o object) name(key string) (string, error) {
	if o.members[key] == nil {
		return "", badRequest("%s needs %q", o.what, key)
	}
	return o.text(key)
}

// boolean reads an optional boolean.
func (o object) boolean(key string) (bool, error) {
	value := o.members[key]
	switch {
	case value == nil:
		return false, nil
	case value.Kind() != 't' && value.Kind() != 'f':
		return false, badRequest("%q of %s must be a boolean", key, o.what)
	}
	return value.Kind() == 't', nil
}

// texts reads an optional array of strings.
func (o object) texts(key string) ([]string, error) {
	var list []*string
	if err := o.member(key, "an array of strings", '[', &list); err != nil {
		return nil, err
	}
	plain := make([]string, 0, len(list))
	for _, s := range list {
		if s == nil {
			return nil, badRequest("%q of %s must be an array of strings: it holds a null", key, o.what)
		}
		plain = append(plain, *s)
	}
	return plain, nil
}

// properties reads an optional object of strings. A null value is refused: it
// would be stored as something else (case 106).
func (o object) properties(key string) (map[string]string, error) {
	var values map[string]*string
	if err := o.member(key, "an object of strings", '{', &values); err != nil {
		return nil, err
	}
	plain := make(map[string]string, len(values))
	for k, s := range values {
		if s == nil {
			return nil, badRequest("%q of %s must be an object of strings: %q is null", key, o.what, k)
		}
		plain[k] = *s
	}
	return plain, nil
}

// namespace reads a namespace that must be there.
func (o object) namespace(key string) (journal.Namespace, error) {
	if o.members[key] == nil {
		return nil, badRequest("%s needs %q", o.what, key)
	}
	levels, err := o.texts(key)
	return levels, err
}

// identifier reads a table's identifier that must be there.
func (o object) identifier(key string) (id journal.Identifier, err error) {
	if o.members[key] == nil {
		return id, badRequest("%s needs %q", o.what, key)
	}
	inner, err := readObject(key+" of "+o.what, o.members[key], "namespace", "name")
	if err != nil {
		return id, err
	}
	if id.Namespace, err = inner.namespace("namespace"); err != nil {
		return id, err
	}
	id.Name, err = inner.name("name")
	return id, err
}

// member reads an optional member of one kind into a pointer.
func (o object) member(key, want string, kind jsontext.Kind, into any) error {
	value := o.members[key]
	if value == nil {
		return nil
	}
	if value.Kind() != kind || json.Unmarshal(value, into) != nil {
		return badRequest("%q of %s must be %s", key, o.what, want)
	}
	return nil
}
