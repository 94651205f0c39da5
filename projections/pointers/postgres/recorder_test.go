package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/projections/pointers/postgres"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// database is one process's view, as a recorder takes it.
type database struct{ *postgres.Store }

func (d database) Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (recorder.Turn, error) {
	turn, err := d.BeginTurn(ctx, warehouse, drafts, requests)
	if err != nil {
		return nil, err
	}
	return turn, nil
}

func TestRecorder(t *testing.T) {
	recordertest.Run(t, func(t testing.TB) recordertest.Opened {
		url := postgrestest.Open(t)
		return recordertest.Opened{
			Journal: openJournal(t, url),
			Replica: func() recorder.Database {
				return database{start(t, url).store}
			},
		}
	})
}

// refuseNames makes the server refuse events that hold a text.
const refuseNames = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'data_exception'; END $$;
	CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW
	WHEN (position('no server takes it'::bytea IN NEW.record) > 0) EXECUTE FUNCTION refuse()`

// What the server refuses of a group is refused to the draft that is to blame.
func TestAServerRefusesOneDraft(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	recordertest.Bear(t, r.journal)
	recordertest.CatchUp(t, r.journal, r.store)
	if _, err := r.journal.Pool().Exec(t.Context(), refuseNames); err != nil {
		t.Fatal(err)
	}
	taken, letGo := make(chan struct{}), make(chan struct{})
	var once sync.Once
	rec, err := recorder.NewShared(t.Context(), recordertest.Hooked(database{r.store}, recordertest.Lake, func(string, bool) error {
		once.Do(func() {
			close(taken)
			<-letGo
		})
		return nil
	}), recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	names := []string{"first", "a", "b", "no server takes it", "c", "d"}
	heard := make([]chan error, len(names))
	for i, name := range names {
		heard[i] = make(chan error, 1)
		go func() {
			_, err := rec.Record(t.Context(), recordertest.Namespace(recordertest.Lake, name))
			heard[i] <- err
		}()
		if i == 0 {
			<-taken
		}
	}
	for rec.Waiting() != len(names) {
		runtime.Gosched()
	}
	close(letGo)
	for i, name := range names {
		err, refused := <-heard[i], name == "no server takes it"
		if (err != nil) != refused || errors.Is(err, recorder.ErrNotRecorded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	recordertest.CheckLaws(t, r.journal, r.store)
}
