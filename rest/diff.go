package rest

import (
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// diffBody is what is not the same as of two points: namespaces by name, then tables
// and views by uuid. Next is given when there is more.
type diffBody struct {
	Warehouse  string           `json:"warehouse"`
	From       momentBody       `json:"from"`
	To         momentBody       `json:"to"`
	Namespaces []jsontext.Value `json:"namespaces"`
	Objects    []jsontext.Value `json:"objects"`
	Next       string           `json:"next,omitempty"`
}

// The kinds of changes.
const (
	changeCreated  = "created"  // there is none in From
	changeDropped  = "dropped"  // there is none in To
	changeUpdated  = "updated"  // other properties
	changeReplaced = "replaced" // another namespace has the name
	changeRenamed  = "renamed"
	changeMoved    = "moved" // another version
)

type namespaceDiff struct {
	Namespace  journal.Namespace `json:"namespace"`
	ID         uuid.UUID         `json:"id"`
	Change     string            `json:"change"`
	Properties map[string]string `json:"properties,omitempty"` // set
	Removed    []string          `json:"removed,omitempty"`    // keys
}

type objectDiff struct {
	Kind    journal.ObjectKind `json:"kind"`
	UUID    uuid.UUID          `json:"uuid"`
	Changes []string           `json:"changes"`
	From    *objectEnd         `json:"from,omitempty"`
	To      *objectEnd         `json:"to,omitempty"`
	Ahead   int                `json:"ahead,omitzero"`  // steps that led from From to To
	Behind  int                `json:"behind,omitzero"` // steps that led from To to From
}

type objectEnd struct {
	Identifier       journal.Identifier `json:"identifier"`
	MetadataLocation string             `json:"metadata-location"`
	SHA256           journal.Digest     `json:"sha256"`
	Size             int64              `json:"size"`
}

// diff answers what changed from a point to another, which may be the earlier one.
func diff(c *call) (reply, error) {
	if err := c.query.only("from", "to", "limit", "next"); err != nil {
		return reply{}, err
	}
	from, err := c.pointed("from")
	if err != nil {
		return reply{}, err
	}
	to, err := c.pointed("to")
	if err != nil {
		return reply{}, err
	}
	of := listing(c.warehouse.ID.String() + "/diff/" + from.Position().String() + "/" + to.Position().String())
	lists, next, err := c.entries(of, func(after place) iter.Seq[entry] { return changesFrom(from, to, after) })
	if err != nil {
		return reply{}, err
	}
	return ok(diffBody{c.warehouse.Name, momentOf(from), momentOf(to), lists[namespaceEntries], lists[objectEntries], next})
}

// pointed is what was true as of a point that must be named.
func (c *call) pointed(key string) (*projections.Snapshot, error) {
	if len(c.query.values[key]) == 0 {
		return nil, badRequest("Query parameter %q is needed", key)
	}
	return c.at(key)
}

func changesFrom(from, to *projections.Snapshot, after place) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if after.list != objectEntries {
			for key, change := range from.NamespaceChanges(to, after.key) {
				if !yield(entry{place{namespaceEntries, key}, namespaceDiffOf(change)}) {
					return
				}
			}
			after.key = ""
		}
		begin, _ := uuid.Parse(after.key) // of a token of ours; without one, before all
		for change := range from.ObjectChanges(to, begin) {
			if !yield(entry{place{objectEntries, change.UUID.String()}, objectDiffOf(change)}) {
				return
			}
		}
	}
}

func namespaceDiffOf(c projections.NamespaceChange) namespaceDiff {
	switch {
	case c.From == nil:
		return namespaceDiff{Namespace: c.To.Name, ID: c.To.ID, Change: changeCreated, Properties: c.To.Properties}
	case c.To == nil:
		return namespaceDiff{Namespace: c.From.Name, ID: c.From.ID, Change: changeDropped}
	case c.From.ID != c.To.ID:
		return namespaceDiff{Namespace: c.To.Name, ID: c.To.ID, Change: changeReplaced, Properties: c.To.Properties}
	}
	d := namespaceDiff{Namespace: c.To.Name, ID: c.To.ID, Change: changeUpdated, Properties: map[string]string{}}
	for key, value := range c.To.Properties {
		if before, had := c.From.Properties[key]; !had || before != value {
			d.Properties[key] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.From.Properties)) {
		if _, has := c.To.Properties[key]; !has {
			d.Removed = append(d.Removed, key)
		}
	}
	return d
}

func objectDiffOf(c projections.ObjectChange) objectDiff {
	d := objectDiff{UUID: c.UUID, From: endOf(c.From), To: endOf(c.To)}
	switch {
	case c.From == nil:
		d.Kind, d.Changes = c.To.Kind, []string{changeCreated}
		return d
	case c.To == nil:
		d.Kind, d.Changes = c.From.Kind, []string{changeDropped}
		return d
	}
	d.Kind = c.To.Kind
	if c.Renamed() {
		d.Changes = append(d.Changes, changeRenamed)
	}
	if c.Moved() {
		d.Changes = append(d.Changes, changeMoved)
		d.Ahead, d.Behind = max(0, c.Steps), max(0, -c.Steps)
	}
	return d
}

func endOf(o *projections.Object) *objectEnd {
	if o == nil {
		return nil
	}
	return &objectEnd{o.Identifier, o.Pointer.MetadataLocation, o.Pointer.SHA256, o.Pointer.Size}
}
