package postgrestest_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// exec runs a statement in a database.
func exec(t *testing.T, url, sql string) error {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

func TestEachTestHasItsDatabase(t *testing.T) {
	for range 2 {
		if err := exec(t, postgrestest.Open(t), "CREATE TABLE pond (duck int)"); err != nil {
			t.Error(err)
		}
	}
}

func TestAStoppedServerKeepsWhatWasCommitted(t *testing.T) {
	c := postgrestest.New(t)
	url := c.Open(t)
	if err := exec(t, url, "CREATE TABLE pond (duck int)"); err != nil {
		t.Fatal(err)
	}
	c.Stop()
	c.Stop()
	if _, err := os.Stat(c.Socket()); err == nil {
		if _, err := pgx.Connect(context.Background(), url); err == nil {
			t.Error("a stopped server answers")
		}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := exec(t, url, "INSERT INTO pond VALUES (1)"); err != nil {
		t.Error(err)
	}
}

func TestSettings(t *testing.T) {
	c := postgrestest.New(t, "fsync=on")
	if err := exec(t, c.Open(t), "DO $$ BEGIN ASSERT current_setting('fsync') = 'on'; END $$"); err != nil {
		t.Error(err)
	}
}
