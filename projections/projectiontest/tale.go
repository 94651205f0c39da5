package projectiontest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// tale is a history told to one warehouse of a store, event by event.
type tale struct {
	*testing.T
	store projections.Store
	w     projections.Warehouse
	chain journal.Chain
	told  []journal.Event
}

// newTale begins with the birth of a warehouse.
func newTale(t *testing.T, store projections.Store) *tale {
	id := uuid.New()
	s := &tale{T: t, store: store, w: store.Warehouse(id), chain: journal.NewChain(id, journaltest.Incarnation(id), 0)}
	s.tell(journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Reason: "birth"})
	return s
}

// event forms what a body becomes now, without telling it.
func (s *tale) event(body journal.Body) journal.Event {
	s.Helper()
	entry, _, err := s.chain.Next(journal.Draft{
		Warehouse: s.chain.Warehouse, ID: uuid.New(), Body: body,
		Cause: journal.Cause{Actor: journal.TokenActor("etl"), Origin: journal.OriginREST, RequestID: "r1"},
	}, journal.At(journaltest.Start))
	if err != nil {
		s.Fatal(err)
	}
	return entry.Event
}

// tell applies what must be accepted.
func (s *tale) tell(bodies ...journal.Body) {
	s.Helper()
	for _, body := range bodies {
		e := s.event(body)
		if err := s.w.Apply(context.Background(), e); err != nil {
			s.Fatalf("%s: %v", e.Kind(), err)
		}
		s.chain = journal.ChainAt(e)
		s.told = append(s.told, e)
	}
}

// refuse applies what must be refused, and checks that it left nothing.
func (s *tale) refuse(want projections.Conflict, body journal.Body) {
	s.Helper()
	before := dump(s, s.w)
	err := s.w.Apply(context.Background(), s.event(body))
	var got *projections.Conflict
	if !errors.As(err, &got) {
		s.Fatalf("%s: got the error %v, want %s", body.Kind(), err, want.Kind)
	}
	equal(s, "conflict", *got, want)
	equal(s, "what is held after a refusal", dump(s, s.w), before)
}

// object reads one that must be there.
func (s *tale) object(id journal.Identifier) projections.Object {
	s.Helper()
	o, err := s.w.Object(context.Background(), id)
	if err != nil {
		s.Fatalf("%s: %v", id, err)
	}
	return o
}

// none checks that no object has a name.
func (s *tale) none(id journal.Identifier) {
	s.Helper()
	if o, err := s.w.Object(context.Background(), id); !errors.Is(err, projections.ErrNoObject) {
		s.Fatalf("%s: got %v, %v, want %v", id, o, err, projections.ErrNoObject)
	}
}

func ns(levels ...string) journal.Namespace { return levels }

func ident(levels ...string) journal.Identifier {
	last := len(levels) - 1
	return journal.Identifier{Namespace: levels[:last], Name: levels[last]}
}

// idOf is the uuid that a namespace or object of that key gets here.
func idOf(key string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(key)) }

func created(n journal.Namespace) journal.NamespaceCreated {
	return journal.NamespaceCreated{ID: idOf(n.Key()), Namespace: n}
}

func dropped(n journal.Namespace) journal.NamespaceDropped {
	return journal.NamespaceDropped{ID: idOf(n.Key()), Namespace: n}
}

// birth is the first move of an object whose places are the paths, or one of
// its own when none is given.
func birth(kind journal.ObjectKind, id journal.Identifier, paths ...string) journal.Move {
	m := journal.Move{Kind: kind, UUID: idOf(id.Key()), To: &journal.To{Identifier: id}}
	m.To.Location = "s3://lake/wh/" + m.UUID.String()
	m.To.Pointer = pointer(m.UUID, 0)
	if paths == nil {
		paths = []string{"//lake/wh/" + m.UUID.String() + "/"}
	}
	m.To.Places = places(paths...)
	return m
}

func places(paths ...string) []journal.Place {
	var places []journal.Place
	for _, path := range paths {
		places = append(places, journal.Place{Path: path, Role: "location"})
	}
	return places
}

// commit is the step after m, to its nth metadata file.
func commit(m journal.Move, n int) journal.Move {
	to := *m.To
	to.Pointer = pointer(m.UUID, n)
	return journal.Move{Kind: m.Kind, UUID: m.UUID, From: from(m), To: &to, Updates: []string{"set-properties"}}
}

func rename(m journal.Move, id journal.Identifier) journal.Move {
	to := *m.To
	to.Identifier = id
	return journal.Move{Kind: m.Kind, UUID: m.UUID, From: from(m), To: &to}
}

func drop(m journal.Move) journal.Move {
	return journal.Move{Kind: m.Kind, UUID: m.UUID, From: from(m)}
}

// born is the object of m as its first move.
func born(m journal.Move) journal.Move {
	m.From = nil
	return m
}

func from(m journal.Move) *journal.From {
	return &journal.From{Identifier: m.To.Identifier, Pointer: m.To.Pointer}
}

func pointer(id uuid.UUID, n int) journal.Pointer {
	location := fmt.Sprintf("s3://lake/wh/%s/metadata/%05d.metadata.json", id, n)
	return journal.Pointer{
		MetadataLocation: location, Size: int64(1000 + n), Encoding: journal.EncodingGzip,
		SHA256: journal.Sum([]byte(location)), DocumentSHA256: journal.Sum([]byte("inflated " + location)),
	}
}

// begin begins what a test that fails rolls back, since the store's Close waits.
func begin(t interface {
	rapid.TB
	Cleanup(func())
}, store projections.Store) projections.Tx {
	t.Helper()
	tx, err := store.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

func apply(t rapid.TB, p projections.Projection, events ...journal.Event) {
	t.Helper()
	if err := p.Apply(context.Background(), events...); err != nil {
		t.Fatal(err)
	}
}

func dump(t rapid.TB, d projections.Dumper) projections.Dump {
	t.Helper()
	all, err := d.Dump(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t rapid.TB, got string, a projections.Dumper, want string, b projections.Dumper) {
	t.Helper()
	equal(t, fmt.Sprintf("%s, compared with %s", got, want), dump(t, a), dump(t, b))
}

func equal(t rapid.TB, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // the quick way
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
