package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// PropertiesChange is what an update of namespace properties did. Missing are
// the removals that were not there. All are sorted, none is nil.
type PropertiesChange struct {
	Updated, Removed, Missing []string
}

// CreateNamespace makes a namespace in an existing parent. AlreadyExists,
// NoSuchNamespace for the parent, Invalid for names, sizes and locations that can
// never be.
func (c *Catalog) CreateNamespace(ctx context.Context, cause journal.Cause, name journal.Namespace, properties map[string]string) (projections.Namespace, error) {
	if err := name.Check(); err != nil {
		return projections.Namespace{}, because(Invalid, err, "%v", err)
	}
	if err := c.checkProperties(ctx, properties, c.checkFolder); err != nil {
		return projections.Namespace{}, err
	}
	release, err := c.lock(ctx, wholeNamespace(name)...)
	if err != nil {
		return projections.Namespace{}, err
	}
	defer release()
	id, err := uuid.NewRandom()
	if err != nil {
		return projections.Namespace{}, because(Unavailable, err, "The change was not made: no randomness")
	}
	if properties == nil {
		properties = map[string]string{}
	}
	if err := c.record(ctx, cause, journal.NamespaceCreated{ID: id, Namespace: name, Properties: properties}); err != nil {
		return projections.Namespace{}, recorded("", err)
	}
	return projections.Namespace{ID: id, Name: name, Properties: properties}, nil
}

// Namespace finds one. NoSuchNamespace.
func (c *Catalog) Namespace(ctx context.Context, name journal.Namespace) (projections.Namespace, error) {
	n, err := c.Reader.Namespace(ctx, name)
	if errors.Is(err, projections.ErrNoNamespace) {
		return n, noNamespace(name)
	}
	return n, reading(err)
}

// Children lists the last levels of a namespace's direct children, ordered by
// their bytes. NoSuchNamespace for the parent.
func (c *Catalog) Children(ctx context.Context, parent journal.Namespace, page projections.Page) ([]string, error) {
	names, err := c.Reader.Children(ctx, parent, page)
	if errors.Is(err, projections.ErrNoNamespace) {
		return nil, noNamespace(parent)
	}
	return names, reading(err)
}

// UpdateNamespace removes and sets properties; two callers with different keys
// both have their way (case 106). A change without effect records nothing.
// Unprocessable when a key is in both lists.
func (c *Catalog) UpdateNamespace(ctx context.Context, cause journal.Cause, name journal.Namespace, removals []string, updates map[string]string) (PropertiesChange, error) {
	for _, key := range removals {
		if _, both := updates[key]; both {
			return PropertiesChange{}, refuse(Unprocessable, "A key cannot be both updated and removed: %s", key)
		}
	}
	release, err := c.lock(ctx, wholeNamespace(name)...)
	if err != nil {
		return PropertiesChange{}, err
	}
	defer release()
	now, err := c.Namespace(ctx, name)
	if err != nil {
		return PropertiesChange{}, err
	}
	change := PropertiesChange{Updated: slices.AppendSeq([]string{}, maps.Keys(updates)), Removed: []string{}, Missing: []string{}}
	slices.Sort(change.Updated)
	after := maps.Clone(now.Properties)
	for _, key := range slices.Compact(slices.Sorted(slices.Values(removals))) {
		if _, there := after[key]; !there {
			change.Missing = append(change.Missing, key)
			continue
		}
		change.Removed = append(change.Removed, key)
		delete(after, key)
	}
	maps.Copy(after, updates)
	if maps.Equal(after, now.Properties) {
		return change, nil
	}
	if err := c.checkProperties(ctx, after, c.checkFolder); err != nil {
		return PropertiesChange{}, err
	}
	return change, recorded("", c.record(ctx, cause, journal.NamespaceUpdated{
		ID: now.ID, Namespace: name, Removed: change.Removed, Updated: nonNil(updates),
	}))
}

// DropNamespace ends an empty one. NoSuchNamespace, NamespaceNotEmpty.
func (c *Catalog) DropNamespace(ctx context.Context, cause journal.Cause, name journal.Namespace) error {
	release, err := c.lock(ctx, wholeNamespace(name)...)
	if err != nil {
		return err
	}
	defer release()
	now, err := c.Namespace(ctx, name)
	if err != nil {
		return err
	}
	return recorded("", c.record(ctx, cause, journal.NamespaceDropped{ID: now.ID, Namespace: name}))
}

// checkProperties holds the limit, and the rules of places for a namespace's
// location: tables without one of their own are created below it.
func (c *Catalog) checkProperties(ctx context.Context, properties map[string]string, check folderCheck) error {
	if err := checkSize(properties); err != nil {
		return err
	}
	location, ok := properties[locationProperty]
	if !ok {
		return nil
	}
	places, err := c.placed(ctx, c.Roots, locationProperty, location, check)
	if err == nil && len(places) > 1 {
		return refuse(Invalid, `%s %q is refused: it holds "?" or "#", and clients that end a path there would take the tables below it for one`, locationProperty, location)
	}
	return err
}

func nonNil(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
