package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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

// A draft that is sent again while the synchronous standby is away is not acknowledged
// because its event is there: another server would perhaps not have it.
func TestDraftAgainWhileTheStandbyIsAway(t *testing.T) {
	server := postgrestest.New(t)
	r := start(t, server.Open(t))
	recordertest.Bear(t, r.journal)
	recordertest.CatchUp(t, r.journal, r.store)
	rec, err := recorder.NewShared(t.Context(), database{r.store}, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	d := recordertest.Namespace(recordertest.Lake, "n")
	want, err := rec.Record(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	server.Stop()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	again := make(chan error)
	go func() {
		_, err := rec.Record(t.Context(), d)
		again <- err
	}()
	for ended := false; !ended; {
		if err := r.journal.Read(t.Context(), func(conn *pgx.Conn) error {
			return conn.QueryRow(t.Context(), `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false)
				FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).Scan(&ended)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-again; !errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("without the standby: %v", err)
	}
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = ''")
	server.Exec(t, "SELECT pg_reload_conf()")
	if e, err := rec.Record(t.Context(), d); err != nil || e.Hash != want.Hash {
		t.Errorf("got %v, %v; want %v", e.Position, err, want.Position)
	}
}
