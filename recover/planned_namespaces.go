package recover

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/sidecars"
)

// plannedNamespaces are those that have an active sidecar, those that the identifiers
// of active objects name, and those on the way to either. Where two sidecars have one
// name the newer one counts; where neither is newer, only the name is known.
func (c *claims) plannedNamespaces() []PlannedNamespace {
	planned := map[string]PlannedNamespace{}
	for key, n := range c.newestNamespaces() {
		if n.State == sidecars.Active {
			planned[key] = PlannedNamespace{Name: n.Name, ID: n.ID, Properties: n.Properties, From: string(BySidecar)}
		}
	}
	named := func(name journal.Namespace) {
		for ; !name.IsRoot(); name = name.Parent() {
			if _, there := planned[name.Key()]; !there {
				planned[name.Key()] = PlannedNamespace{Name: name, Properties: map[string]string{}, From: PropertiesMissing}
			}
		}
	}
	for _, n := range c.namespaces {
		if n.State == sidecars.Active {
			named(n.Name)
		}
	}
	for _, n := range c.objects {
		if n.State == sidecars.Active {
			named(n.Identifier.Namespace)
		}
	}
	all := make([]PlannedNamespace, 0, len(planned))
	for _, n := range planned {
		all = append(all, n)
	}
	return all
}

// newestNamespaces are the sidecars that count, by the namespace's key: of each name
// the newest one, if it is the only newest.
func (c *claims) newestNamespaces() map[string]sidecars.Namespace {
	newest, twice := map[string]sidecars.Namespace{}, map[string]bool{}
	for _, n := range c.namespaces {
		key := n.Name.Key()
		was, there := newest[key]
		order := 1
		if there {
			order = older(namespaceAge(n), namespaceAge(was))
		}
		switch {
		case order > 0:
			newest[key], twice[key] = n, false
		case order == 0 && n.ID != was.ID:
			twice[key] = true
		}
	}
	for key := range twice {
		if twice[key] {
			delete(newest, key)
		}
	}
	return newest
}

func namespaceAge(n sidecars.Namespace) age { return age{n.Extras, n.UpdatedAt.UnixMilli()} }

// doubtNamespaces tells of namespaces of which only the name is known although there
// are sidecars, and of objects whose namespace was dropped after their sidecar was
// written, so that they were dropped or renamed themselves.
func (c *claims) doubtNamespaces() {
	newest := c.newestNamespaces()
	seen := map[string]bool{}
	for _, n := range c.namespaces {
		if key := n.Name.Key(); n.State == sidecars.Active && newest[key].ID == uuid.Nil && !seen[key] {
			seen[key] = true
			c.failed = append(c.failed, PlannedObject{UUID: n.ID, Identifier: journal.Identifier{Namespace: n.Name.Parent(), Name: n.Name.Name()}, Outcome: Failed,
				Err: fmt.Errorf("%w: the sidecars of several namespaces have the name %s, and none is newer: it is made without properties", ErrNameTaken, strings.ToValidUTF8(n.Name.String(), "?"))})
		}
	}
	for _, o := range c.objects {
		n, there := newest[o.Identifier.Namespace.Key()]
		if there && o.active() && n.State == sidecars.Dropped && older(o.age(), namespaceAge(n)) < 0 {
			o.planned.Warnings = append(o.planned.Warnings,
				fmt.Sprintf("namespace %s was dropped after its sidecar was written: it was dropped or renamed before, and its sidecar does not say so", n.Name))
		}
	}
}
