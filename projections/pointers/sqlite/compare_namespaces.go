package sqlite

import (
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// seenNamespace is a namespace that a comparison has met.
type seenNamespace struct {
	held    projections.Namespace
	ok      bool            // it is there
	dropped bool            // and is not to be
	settled map[string]bool // properties that were compared
}

// seen looks a namespace up when it is met first.
func (c *comparison) seen(id uuid.UUID, name journal.Namespace) (*seenNamespace, error) {
	if met, ok := c.namespaces[id]; ok {
		return met, nil
	}
	held, ok, err := c.FindNamespace(name)
	met := &seenNamespace{held: held, ok: ok && held.ID == id, settled: map[string]bool{}}
	c.namespaces[id] = met
	return met, err
}

func (c *comparison) namespaceDropped(b journal.NamespaceDropped) error {
	met, err := c.seen(b.ID, b.Namespace)
	if err != nil {
		return err
	}
	met.dropped = true
	if _, ok, err := c.NamespaceOf(b.ID); err != nil {
		return err
	} else if ok {
		return differs("the namespace %s, which was dropped", b.Namespace)
	}
	return nil
}

func (c *comparison) namespaceUpdated(b journal.NamespaceUpdated) error {
	met, err := c.seen(b.ID, b.Namespace)
	if err != nil {
		return err
	}
	if !met.has(b.Updated) || !met.lacks(b.Removed) {
		return differs("the namespace %s", b.Namespace)
	}
	return nil
}

func (c *comparison) namespaceCreated(b journal.NamespaceCreated) error {
	met, err := c.seen(b.ID, b.Namespace)
	if err != nil {
		return err
	}
	var others []string
	for key := range met.held.Properties {
		if _, ok := b.Properties[key]; !ok {
			others = append(others, key)
		}
	}
	if !met.has(b.Properties) || !met.lacks(others) {
		return differs("the namespace %s", b.Namespace)
	}
	return nil
}

// has tells whether properties that nothing newer touched are as they were set.
func (s *seenNamespace) has(properties map[string]string) bool {
	if s.dropped {
		return true
	}
	for key, value := range properties {
		if held, ok := s.held.Properties[key]; !s.settled[key] && (!ok || held != value) {
			return false
		}
		s.settled[key] = true
	}
	return s.ok
}

// lacks tells whether properties that nothing newer touched are not there.
func (s *seenNamespace) lacks(keys []string) bool {
	if s.dropped {
		return true
	}
	for _, key := range keys {
		if _, ok := s.held.Properties[key]; !s.settled[key] && ok {
			return false
		}
		s.settled[key] = true
	}
	return s.ok
}
