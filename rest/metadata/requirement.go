package metadata

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// Requirement is one decoded requirement of a commit. It never changes.
type Requirement interface {
	// Type is the requirement's name in the REST specification.
	Type() string

	// check returns a *RequirementFailed when the requirement does not hold.
	check(*state) error
}

var (
	typeOnly = vocabulary{what: "table requirement", required: []string{"type"}}
	refCheck = vocabulary{what: "assert-ref-snapshot-id", required: []string{"ref"}, optional: []string{"type", "snapshot-id"}}
)

// readRequirement decodes one requirement. Types are matched in any case, as by
// the Java library; an unknown one is refused (case 92).
func readRequirement(raw jsontext.Value) (Requirement, error) {
	var kind string
	r := newReader(raw)
	if err := r.object(typeOnly, func(string) error { return r.text(&kind) }); err != nil {
		return nil, err
	}
	r = newReader(raw)
	switch kind = strings.ToLower(kind); kind {
	case "assert-create":
		return assertCreate{}, nil
	case "assert-table-uuid":
		return r.assertTableUUID()
	case "assert-ref-snapshot-id":
		return r.assertRef()
	case "assert-view-uuid":
		return nil, invalidf("Cannot apply a requirement of views to a table: %s", kind)
	}
	for _, number := range assertedNumbers {
		if number.kind == kind {
			return r.assertNumber(number)
		}
	}
	return nil, invalidf("unknown table requirement: %q", kind)
}

func requirementWords(kind, name string) vocabulary {
	return vocabulary{what: kind, required: []string{name}, optional: []string{"type"}}
}

// requirement reads a requirement's members; the type is passed over.
func (r *reader) requirement(words vocabulary, member func(name string) error) error {
	return r.object(words, func(name string) error {
		if name == "type" {
			return r.skip()
		}
		return member(name)
	})
}

type assertCreate struct{}

func (assertCreate) Type() string { return "assert-create" }

// check is made on tables only, which exist.
func (assertCreate) check(*state) error { return failedf("table already exists") }

type assertTableUUID struct{ id uuid.UUID }

func (assertTableUUID) Type() string { return "assert-table-uuid" }

func (r *reader) assertTableUUID() (Requirement, error) {
	var text string
	words := requirementWords("assert-table-uuid", "uuid")
	err := r.requirement(words, func(string) error { return r.text(&text) })
	if err != nil {
		return nil, err
	}
	id, err := parseUUID(text)
	return assertTableUUID{id}, err
}

// check compares whatever the letter case (case 32).
func (a assertTableUUID) check(s *state) error {
	if a.id != s.uuid {
		return failedf("UUID does not match: expected %s != %s", s.uuid, a.id)
	}
	return nil
}

type assertRef struct {
	name     string
	snapshot int64
	absent   bool // the reference must not exist
}

func (assertRef) Type() string { return "assert-ref-snapshot-id" }

// assertRef reads a snapshot id of null, or none, as: must not exist (case 6).
func (r *reader) assertRef() (Requirement, error) {
	a := assertRef{absent: true}
	err := r.requirement(refCheck, func(name string) (err error) {
		if name == "ref" {
			return r.text(&a.name)
		}
		if a.absent, err = r.null(); a.absent || err != nil {
			return err
		}
		return r.long(&a.snapshot)
	})
	return a, err
}

func (a assertRef) check(s *state) error {
	f, ok := s.ref(a.name)
	switch {
	case ok && a.absent:
		return failedf("%s %s was created concurrently", f.kind(), a.name)
	case ok && f.snapshot != a.snapshot:
		return failedf("%s %s has changed: expected id %d != %d", f.kind(), a.name, a.snapshot, f.snapshot)
	case !ok && !a.absent:
		return failedf("branch or tag %s is missing, expected %d", a.name, a.snapshot)
	}
	return nil
}

// assertedNumber is a requirement that compares one number.
type assertedNumber struct {
	kind, member, what string
	present            func(*state) int
}

var assertedNumbers = []assertedNumber{
	{"assert-last-assigned-field-id", "last-assigned-field-id", "last assigned field id",
		func(s *state) int { return s.lastColumnID }},
	{"assert-current-schema-id", "current-schema-id", "current schema",
		func(s *state) int { return s.currentSchema }},
	{"assert-last-assigned-partition-id", "last-assigned-partition-id", "last assigned partition id",
		func(s *state) int { return s.lastPartitionID }},
	{"assert-default-spec-id", "default-spec-id", "default partition spec",
		func(s *state) int { return s.defaultSpec }},
	{"assert-default-sort-order-id", "default-sort-order-id", "default sort order",
		func(s *state) int { return s.defaultOrder }},
}

type assertNumber struct {
	number   assertedNumber
	expected int
}

func (a assertNumber) Type() string { return a.number.kind }

func (r *reader) assertNumber(number assertedNumber) (Requirement, error) {
	a := assertNumber{number: number}
	words := requirementWords(number.kind, number.member)
	err := r.requirement(words, func(string) error { return r.int(&a.expected) })
	return a, err
}

func (a assertNumber) check(s *state) error {
	if present := a.number.present(s); present != a.expected {
		return failedf("%s changed: expected id %d != %d", a.number.what, a.expected, present)
	}
	return nil
}
