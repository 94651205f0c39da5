package postgres_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers/postgres"
)

// told is a replica whose tables follow a story of one warehouse.
func told(t *testing.T, url string) (r replica, id uuid.UUID) {
	t.Helper()
	r, id = start(t, url), uuid.New()
	stories := rapid.Custom(func(t *rapid.T) *journaltest.Story { return journaltest.DrawStory(t, id) })
	story := stories.Example()
	for seed := 1; len(story.Drafts) < 12; seed++ {
		story = stories.Example(seed)
	}
	journaltest.Append(t, r.journal, journaltest.Entries(t, story.Drafts, journaltest.Start))
	r.catchUp(t, id)
	return r, id
}

func (r replica) dump(t *testing.T, id uuid.UUID) projections.Dump {
	t.Helper()
	d, err := r.store.Warehouse(id).Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

var errTorn = errors.New("torn")

// torn is a history that cannot be read to its end.
type torn struct{ journal.Reader }

func (r torn) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range r.Reader.Scan(ctx, after) {
			if e.Seq > 3 {
				yield(e, errTorn)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestRebuild: rows that are not what the journal says become that again, of one warehouse,
// at once or not at all.
func TestRebuild(t *testing.T) {
	url := postgrestest.Open(t)
	r, id := told(t, url)
	want := r.dump(t, id)
	execute(t, url, `UPDATE puddle.objects SET name = name || 'x'`, `DELETE FROM puddle.names`, `DELETE FROM puddle.namespaces`)
	broken := r.dump(t, id)
	if cmp.Equal(want, broken) {
		t.Fatal("nothing is broken")
	}
	if err := r.store.Rebuild(t.Context(), id, torn{r.journal.Warehouse(id)}); !errors.Is(err, errTorn) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(broken, r.dump(t, id)); diff != "" {
		t.Error("after a rebuild that failed:", diff)
	}
	if err := r.store.Rebuild(t.Context(), id, r.journal.Warehouse(id)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.dump(t, id)); diff != "" {
		t.Error(diff)
	}
}

// TestSetAside: tables that are set aside can be read, others that are empty take their
// place, and the journal stays.
func TestSetAside(t *testing.T) {
	url := postgrestest.Open(t)
	r, id := told(t, url)
	want := r.dump(t, id)
	beside, err := journalpg.Open(t.Context(), journalpg.Options{URL: url, Schema: "puddle_broken_1", Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.store.SetAside(t.Context(), "puddle_broken_1"), beside.Close()); err != nil {
		t.Fatal(err)
	}
	if held, err := r.store.Held(t.Context()); err != nil || len(held) > 0 {
		t.Errorf("the new ones hold %v, %v", held, err)
	}
	found, err := postgres.Asides(t.Context(), r.journal, "puddle_broken_")
	if diff := cmp.Diff([]string{"puddle_broken_1"}, found); err != nil || diff != "" {
		t.Error(err, diff)
	}
	db, err := journalpg.Open(t.Context(), journalpg.Options{URL: url, Schema: found[0], ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	aside := replica{db, open(t, db)}
	if diff := cmp.Diff(want, aside.dump(t, id)); diff != "" {
		t.Error("what was set aside:", diff)
	}
	r.catchUp(t, id)
	if diff := cmp.Diff(want, r.dump(t, id)); diff != "" {
		t.Error("made anew:", diff)
	}
}
