package journaltest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// Story is the history of one warehouse in the making, and the model of what
// it folds to. Its methods append one draft each; they do not ask whether the
// draft is allowed, the caller knows from the model. The same calls give the same
// drafts. What the caller does not choose (causes, requests, places, snapshot
// ids, which documents are kept) varies from draft to draft.
type Story struct {
	Warehouse  uuid.UUID
	Drafts     []journal.Draft
	Namespaces map[string]Namespace // by Namespace.Key
	Objects    map[string]Object    // the live ones, by Identifier.Key
	Purges     map[uuid.UUID]Purge  // by the table

	gone   []Object // dropped or unregistered
	vacant []string // locations that nobody has any more
	minted uint64
}

// Namespace is a namespace in the model.
type Namespace struct {
	ID         uuid.UUID
	Name       journal.Namespace
	Properties map[string]string
}

// Object is a table or view in the model: what its last move said.
type Object struct {
	Kind journal.ObjectKind
	UUID uuid.UUID
	To   journal.To
}

// NewStory begins a story with the birth of the warehouse.
func NewStory(warehouse uuid.UUID) *Story {
	s := &Story{Warehouse: warehouse, Namespaces: map[string]Namespace{}, Objects: map[string]Object{}, Purges: map[uuid.UUID]Purge{}}
	s.add(journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Reason: "birth"})
	return s
}

// CreateNamespace creates a namespace.
func (s *Story) CreateNamespace(name journal.Namespace, properties map[string]string) {
	n := Namespace{ID: s.mint(), Name: name, Properties: maps.Clone(properties)}
	s.Namespaces[name.Key()] = n
	s.add(journal.NamespaceCreated{ID: n.ID, Namespace: name, Properties: maps.Clone(properties)})
}

// UpdateNamespace removes and sets properties of a namespace.
func (s *Story) UpdateNamespace(name journal.Namespace, removed []string, updated map[string]string) {
	n := s.Namespaces[name.Key()]
	properties := make(map[string]string)
	maps.Copy(properties, n.Properties)
	for _, key := range removed {
		delete(properties, key)
	}
	maps.Copy(properties, updated)
	n.Properties = properties
	s.Namespaces[name.Key()] = n
	s.add(journal.NamespaceUpdated{ID: n.ID, Namespace: name, Removed: removed, Updated: maps.Clone(updated)})
}

// DropNamespace drops a namespace.
func (s *Story) DropNamespace(name journal.Namespace) {
	n := s.Namespaces[name.Key()]
	delete(s.Namespaces, name.Key())
	s.add(journal.NamespaceDropped{ID: n.ID, Namespace: name})
}

// CompleteRecovery says that a recovery into this history is complete, which changes
// nothing of what is true.
func (s *Story) CompleteRecovery() {
	s.add(journal.RecoveryCompleted{From: "sidecars", Namespaces: int64(len(s.Namespaces)), Objects: int64(len(s.Objects))})
}

// IsEmpty tells whether a namespace holds no child and no object.
func (s *Story) IsEmpty(name journal.Namespace) bool {
	for _, n := range s.Namespaces {
		if n.Name.Parent().Equal(name) {
			return false
		}
	}
	for _, o := range s.Objects {
		if o.To.Identifier.Namespace.Equal(name) {
			return false
		}
	}
	return true
}

// apply makes the model follow a move.
func (s *Story) apply(m journal.Move) {
	if m.From != nil {
		key := m.From.Identifier.Key()
		if held := s.Objects[key]; m.To == nil {
			s.gone, s.vacant = append(s.gone, held), append(s.vacant, held.To.Location)
		}
		delete(s.Objects, key)
	}
	if m.From == nil {
		delete(s.Purges, m.UUID)
	}
	if m.To != nil {
		s.gone = slices.DeleteFunc(s.gone, func(o Object) bool { return o.UUID == m.UUID })
		s.vacant = slices.DeleteFunc(s.vacant, func(at string) bool { return at == m.To.Location })
		s.Objects[m.To.Identifier.Key()] = Object{Kind: m.Kind, UUID: m.UUID, To: *m.To}
	}
}

func (s *Story) add(body journal.Body) { s.Drafts = append(s.Drafts, s.draft(body)) }

// draft makes a draft and leaves the story as it is but for minted ids.
func (s *Story) draft(body journal.Body) journal.Draft {
	id := s.mint()
	c := cause(s.minted)
	return journal.Draft{
		Warehouse: s.Warehouse, ID: eventID(id, s.minted), Cause: c, Body: body,
		Documents: documents(body), Request: request(c, s.minted),
	}
}

// mint makes an id that was not there before.
func (s *Story) mint() uuid.UUID {
	s.minted++
	return uuid.NewSHA1(s.Warehouse, binary.BigEndian.AppendUint64(nil, s.minted))
}

// eventID turns an id into a UUIDv7 whose time is n milliseconds into 2026.
func eventID(id uuid.UUID, n uint64) uuid.UUID {
	const start = 1767225600000
	var millis [8]byte
	binary.BigEndian.PutUint64(millis[:], start+n)
	copy(id[:6], millis[2:])
	id[6] = id[6]&0x0f | 0x70
	return id
}

func cause(n uint64) journal.Cause {
	c := journal.Cause{Actor: journal.TokenActor("etl"), Origin: journal.OriginREST, RequestID: fmt.Sprint("request-", n)}
	switch n % 3 {
	case 0:
		c.Engine, c.Key = journal.Engine("Apache-Spark/4.0 <\u00e9\u2028>"), fmt.Sprintf("00000000-0000-7000-8000-%012d", n)
	case 1:
		c.Actor, c.Origin, c.RequestID = journal.CLIActor("operator"), journal.OriginCLI, ""
	}
	return c
}

// request binds the key of a cause for some hours from Start on.
func request(c journal.Cause, n uint64) *journal.Request {
	if c.Key == "" {
		return nil
	}
	return &journal.Request{
		Actor: c.Actor, Key: c.Key, Route: fmt.Sprint("POST /v1/lake/\u00e9/", n), Body: journal.Sum([]byte(c.RequestID)),
		Until: Start.Add(time.Duration(1+n%4) * time.Hour),
	}
}

// sortedKeys makes walks over the model repeatable.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
