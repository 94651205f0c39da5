package rest

import (
	"cmp"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// momentBody is an event as of which something is shown.
type momentBody struct {
	Incarnation uuid.UUID   `json:"incarnation"`
	Seq         journal.Seq `json:"seq"`
	At          stamp       `json:"at"`
}

func momentOf(s *projections.Snapshot) momentBody {
	p := s.Position()
	return momentBody{p.Incarnation, p.Seq, stamp(s.At())}
}

// stateBody is a warehouse as it was: namespaces by name, then tables and views by
// name. Next is given when there is more: the same query with next=NEXT goes on.
type stateBody struct {
	Warehouse string `json:"warehouse"`
	momentBody
	Namespaces []jsontext.Value `json:"namespaces"`
	Objects    []jsontext.Value `json:"objects"`
	Next       string           `json:"next,omitempty"`
}

type namespaceState struct {
	Namespace  journal.Namespace `json:"namespace"`
	ID         uuid.UUID         `json:"id"`
	Properties map[string]string `json:"properties"`
}

type objectState struct {
	Kind             journal.ObjectKind `json:"kind"`
	UUID             uuid.UUID          `json:"uuid"`
	Identifier       journal.Identifier `json:"identifier"`
	Location         string             `json:"location"`
	MetadataLocation string             `json:"metadata-location"`
	SHA256           journal.Digest     `json:"sha256"`
	Size             int64              `json:"size"`
	Present          *bool              `json:"present,omitempty"` // only when asked for
}

// state answers what was true as of a point; without one, as of now. With check=true
// it looks which metadata files are still there.
func state(c *call) (reply, error) {
	if err := c.query.only("at", "check", "limit", "next"); err != nil {
		return reply{}, err
	}
	check, err := c.checks()
	if err != nil {
		return reply{}, err
	}
	then, err := c.at("at")
	if err != nil {
		return reply{}, err
	}
	of := listing(c.warehouse.ID.String() + "/state/" + then.Position().String())
	var unseen error
	show := func(o projections.Object) objectState {
		s := objectStateOf(o)
		if check && unseen == nil {
			s.Present, unseen = c.present(s.MetadataLocation)
		}
		return s
	}
	lists, next, err := c.entries(of, func(from place) iter.Seq[entry] { return stateFrom(then, from, show) })
	if err := cmp.Or(err, unseen); err != nil {
		return reply{}, err
	}
	return ok(stateBody{c.warehouse.Name, momentOf(then), lists[namespaceEntries], lists[objectEntries], next})
}

func stateFrom(then *projections.Snapshot, from place, show func(projections.Object) objectState) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if from.list != objectEntries {
			for key, n := range then.EachNamespace(from.key) {
				if !yield(entry{place{namespaceEntries, key}, namespaceState{n.Name, n.ID, n.Properties}}) {
					return
				}
			}
			from.key = ""
		}
		for key, o := range then.EachObject(from.key) {
			if !yield(entry{place{objectEntries, key}, show(o)}) {
				return
			}
		}
	}
}

func objectStateOf(o projections.Object) objectState {
	p := o.Pointer
	return objectState{
		Kind: o.Kind, UUID: o.UUID, Identifier: o.Identifier, Location: o.Location,
		MetadataLocation: p.MetadataLocation, SHA256: p.SHA256, Size: p.Size,
	}
}
