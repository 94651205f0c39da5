package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/postgres"
)

// Of many that start at once one makes the tables, and all have them.
func TestManyStart(t *testing.T) {
	url := postgrestest.Open(t)
	const starters = 6
	all, errs := make([]*postgres.Store, starters), make([]error, starters)
	var wait sync.WaitGroup
	for i := range all {
		db := openJournal(t, url)
		wait.Go(func() { all[i], errs[i] = postgres.Open(t.Context(), db) })
	}
	wait.Wait()
	for i, s := range all {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if held, err := s.Held(t.Context()); err != nil || len(held) != 0 {
			t.Errorf("of the new tables: %v, %v", held, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// newer opens the tables as the next build would.
func newer(t testing.TB, url string) replica {
	t.Helper()
	db := openJournal(t, url)
	s, err := postgres.OpenSchema(t.Context(), db, postgres.Schema+1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return replica{db, s}
}

// Where one of the tables is gone all of them are made anew, empty, as for a catalog that
// has none.
func TestATableIsGone(t *testing.T) {
	for _, name := range []string{"cursor", "namespaces", "objects", "places", "purges", "history", "names"} {
		t.Run(name, func(t *testing.T) {
			url := postgrestest.Open(t)
			old := start(t, url)
			story := journaltest.NewStory(uuid.New())
			old.bear(t, story)
			execute(t, url, "DROP TABLE puddle."+name)
			next := start(t, url)
			if held, err := next.store.Held(t.Context()); err != nil || len(held) != 0 {
				t.Errorf("they hold %v, %v", held, err)
			}
			if _, err := next.store.BeginTurn(t.Context(), story.Warehouse, nil, nil); !errors.Is(err, postgres.ErrBehind) {
				t.Errorf("a turn before they are filled: %v", err)
			}
		})
	}
}

// A newer build empties the tables and fills them again. Whoever runs an older one is
// refused, reads and writes, and does no harm.
func TestAnotherBuild(t *testing.T) {
	url := postgrestest.Open(t)
	old := start(t, url)
	story := journaltest.NewStory(uuid.New())
	old.bear(t, story)
	in := journal.Namespace{"a"}
	story.CreateNamespace(in, nil)
	old.tell(t, story, 1)
	w := old.store.Warehouse(story.Warehouse)
	if _, err := w.Namespace(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	before, err := w.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	next := newer(t, url)
	if held, err := next.store.Held(t.Context()); err != nil || len(held) != 0 {
		t.Errorf("after another build has made the tables they hold %v, %v", held, err)
	}
	if _, err := next.store.BeginTurn(t.Context(), story.Warehouse, nil, nil); !errors.Is(err, postgres.ErrBehind) {
		t.Errorf("a turn before the tables are filled: %v", err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, pointers.ErrSchema) || !errors.Is(err, journal.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refuse := func() {
		t.Helper()
		_, err := w.Namespace(t.Context(), in)
		refused("a reader of the older build", err)
		_, err = w.Moment(t.Context())
		refused("its moment", err)
		_, err = old.store.BeginTurn(t.Context(), story.Warehouse, nil, nil)
		refused("its turn", err)
		refused("its replay", projections.CatchUp(t.Context(), old.journal.Warehouse(story.Warehouse), 0, w))
		refused("its reset", w.Reset(t.Context()))
		_, err = postgres.Open(t.Context(), old.journal)
		refused("its start", err)
	}
	refuse()
	next.catchUp(t, story.Warehouse)
	refuse()
	after, err := next.store.Warehouse(story.Warehouse).Dump(t.Context())
	if err != nil || after.Cursor != before.Cursor || len(after.Namespaces) != 1 {
		t.Errorf("filled again: %+v, %v", after, err)
	}
	story.CreateNamespace(journal.Namespace{"b"}, nil)
	next.tell(t, story, 1)
}

// A build that makes the tables anew waits for a turn that is under way, and what the turn commits
// is in the journal.
func TestAnotherBuildWaitsForTurns(t *testing.T) {
	url := postgrestest.Open(t)
	old := start(t, url)
	story := journaltest.NewStory(uuid.New())
	old.bear(t, story)
	story.CreateNamespace(journal.Namespace{"a"}, nil)
	turn, err := old.store.BeginTurn(t.Context(), story.Warehouse, story.Drafts, nil)
	if err != nil {
		t.Fatal(err)
	}
	var made sync.WaitGroup
	var next replica
	made.Go(func() { next = newer(t, url) })
	chain, _ := turn.Chain()
	entry, _, err := chain.Next(story.Drafts[0], turn.Now())
	if err == nil {
		err = turn.Apply(t.Context(), entry.Event)
	}
	if err == nil {
		err = turn.Commit(t.Context(), []journal.Entry{entry}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	made.Wait()
	next.catchUp(t, story.Warehouse)
	if _, err := next.store.Warehouse(story.Warehouse).Namespace(t.Context(), journal.Namespace{"a"}); err != nil {
		t.Error(err)
	}
}

// Who starts needs no rights but those on its schema, and where the tables are made
// none but to use them.
func TestUnprivileged(t *testing.T) {
	server := postgrestest.Shared(t)
	url := server.Open(t)
	db := openJournal(t, url)
	run := func(statements ...string) {
		t.Helper()
		for _, sql := range statements {
			if _, err := db.Pool().Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("CREATE ROLE heron LOGIN", "GRANT USAGE ON SCHEMA puddle TO heron",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO heron")
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	theirs, err := journalpg.Open(t.Context(), journalpg.Options{URL: server.URL(name, "heron"), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if _, err := postgres.Open(t.Context(), theirs); err == nil || !strings.Contains(err.Error(), "permission denied for schema puddle") {
		t.Errorf("without tables, and without the right to make them: %v", err)
	}
	open(t, db)
	run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO heron")
	r := replica{theirs, open(t, theirs)}
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	for range 20 {
		story.CreateNamespace(journal.Namespace{uuid.NewString()}, nil)
	}
	r.tell(t, story, 20)
}

// Who only reads makes no tables.
func TestReadOnly(t *testing.T) {
	url := postgrestest.Open(t)
	r := start(t, url)
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	looks := func(url string) (*journalpg.DB, error) {
		db, err := journalpg.Open(t.Context(), journalpg.Options{URL: url, Unsafe: true, ReadOnly: true})
		if err == nil {
			t.Cleanup(func() { db.Close() })
		}
		return db, err
	}
	db, err := looks(url)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, db).Warehouse(story.Warehouse)
	if held, err := w.Dump(t.Context()); err != nil || held.Cursor.Seq != 1 {
		t.Errorf("%+v, %v", held, err)
	}
	if err := w.Apply(t.Context()); !errors.Is(err, journalpg.ErrReadOnly) {
		t.Errorf("apply: %v", err)
	}
	without := postgrestest.Open(t)
	openJournal(t, without)
	if db, err = looks(without); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Open(t.Context(), db); !errors.Is(err, pointers.ErrSchema) {
		t.Errorf("without tables: %v", err)
	}
}
