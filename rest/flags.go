package rest

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
)

// readFlags reads the body of one of puddle's own routes: the flags of a command as
// one object. Other than in Iceberg's requests, what is not known is refused: a
// misspelled dry-run must not be done.
func readFlags(data []byte, known ...string) (object, error) {
	o, err := readObject("The request", data, known...)
	if err != nil {
		return o, err
	}
	for _, key := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(known, key) {
			return o, badRequest("The request has the unknown key %q; there are: %s", key, strings.Join(known, ", "))
		}
	}
	return o, nil
}

// objectOf reads a table or view that must be named: as ns.name, a level with a dot
// in backquotes, or by its uuid.
func (o object) objectOf(key string) (journal.Identifier, uuid.UUID, error) {
	text, err := o.name(key)
	if err != nil {
		return journal.Identifier{}, uuid.Nil, err
	}
	if id, err := uuid.Parse(text); err == nil && id != uuid.Nil {
		return journal.Identifier{}, id, nil
	}
	name, err := o.identifierText(key)
	return name, uuid.Nil, err
}

// identifierText reads ns.name.
func (o object) identifierText(key string) (journal.Identifier, error) {
	text, err := o.name(key)
	if err != nil {
		return journal.Identifier{}, err
	}
	id, err := journal.ParseIdentifier(text)
	if err != nil {
		return id, badRequest("%q of %s: %v", key, o.what, err)
	}
	return id, nil
}
