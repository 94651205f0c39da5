package main

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
)

// TestTablesOfOthers: a schema with tables of others is not made a catalog's, and a
// recovery does not rename one with them.
func TestTablesOfOthers(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Open(t)
	execute(t, url, `CREATE SCHEMA puddle`, `CREATE TABLE puddle.events (id int)`)
	c := configured(t, dir, inPostgres(url))
	if _, err := startServer(t.Context(), c, zerolog.Nop()); exitCode(err) != codeRefused || !strings.Contains(err.Error(), "events in puddle") {
		t.Errorf("a table of others: exit code %d: %v", exitCode(err), err)
	}
	execute(t, url, `DROP TABLE puddle.events`)
	r := started(t, c)
	r.make("", `{"namespace":["a"]}`)
	r.stopped()

	execute(t, url, `CREATE TABLE puddle.invoices (id int)`, `DELETE FROM puddle.events WHERE seq = 2`)
	if code, out := ran(t, dir, "recover"); code != codeRefused {
		t.Errorf("exit code %d: %s", code, out)
	}
	execute(t, url, `INSERT INTO puddle.invoices VALUES (1)`, `ALTER TABLE puddle.invoices SET SCHEMA public`)
	if code, out := ran(t, dir, "recover"); code == codeRefused {
		t.Errorf("when they are elsewhere: exit code %d: %s", code, out)
	}
	execute(t, url, `INSERT INTO public.invoices VALUES (2)`)
}

// TestNotLetIn: a start that is not let in ends at once, and waits for nothing.
func TestNotLetIn(t *testing.T) {
	var told strings.Builder
	url := strings.Replace(postgrestest.Open(t), "/t", "/no_t", 1)
	_, err := startServer(t.Context(), configured(t, t.TempDir(), inPostgres(url)), zerolog.New(&told))
	if exitCode(err) != codeNoLook || strings.Contains(told.String(), "waiting") {
		t.Errorf("exit code %d: %v\n%s", exitCode(err), err, told.String())
	}
}
