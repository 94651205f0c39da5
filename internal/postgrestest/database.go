package postgrestest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Open makes a database for a test, and gives the superuser's URL of it. Safe for
// concurrent use.
func (c *Cluster) Open(tb testing.TB) string {
	tb.Helper()
	url, err := c.Database(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return url
}

// Database makes an empty database, and gives the superuser's URL of it. Safe for
// concurrent use.
func (c *Cluster) Database(ctx context.Context) (string, error) {
	name := fmt.Sprint("t", c.made.Add(1))
	return c.URL(name, Superuser), c.createFrom(ctx, name, "template0")
}

// Copy makes one database what another is, which nobody uses. Who uses the one is thrown
// out.
func (c *Cluster) Copy(tb testing.TB, to, from string) {
	tb.Helper()
	ctx := context.Background()
	c.Exec(tb, drop(to))
	if err := c.createFrom(ctx, to, from); err != nil {
		tb.Fatal(err)
	}
}

func drop(database string) string {
	return fmt.Sprintf("DROP DATABASE IF EXISTS %q WITH (FORCE)", database)
}

// createFrom makes a database out of another one.
func (c *Cluster) createFrom(ctx context.Context, name, from string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres", Superuser))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	how := ""
	// Where nothing waits for a disk, to copy files is the least work. Version 15 asks how.
	if version, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), "."); c.inMemory() && atLeast(version, 15) {
		how = " STRATEGY file_copy"
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %q TEMPLATE %q%s", name, from, how))
	return err
}

func atLeast(version string, least int) bool {
	n, err := strconv.Atoi(version)
	return err == nil && n >= least
}
