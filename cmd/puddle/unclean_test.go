package main

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// After a stop that was not clean the pointer tables are what the journal says: as
// they are, caught up, or made anew beside what was set aside (formats §3).
func TestUncleanStops(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(tables string) error
		anew  bool
	}{
		{"killed", func(string) error { return nil }, false},
		{"machine went down", func(tables string) error { return alter(tables, `UPDATE running SET boot = 'another'`) }, false},
		{"machine went down and log lost", func(tables string) error {
			return errors.Join(os.Remove(tables+"-wal"), alter(tables, `UPDATE running SET boot = 'another'`))
		}, false},
		{"killed while it was set aside", func(tables string) error { return os.Rename(tables+"-wal", tables+".broken-then-wal") }, false},
		{"row lost", func(tables string) error { return alter(tables, `DELETE FROM namespaces WHERE name = 'n1'`) }, true},
		{"machine went down and pages lost", func(tables string) error {
			if err := alter(tables, `UPDATE running SET boot = 'another'`); err != nil {
				return err
			}
			data, err := os.ReadFile(tables)
			if err != nil {
				return err
			}
			copy(data[len(data)/2:], bytes.Repeat([]byte{0xa5}, 64<<10))
			return os.WriteFile(tables, data, 0o600)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			leaveBehind(t, dir)
			configured := configured(t, dir, "")
			tables := configured.Metastore.SQLitePath
			if err := c.spoil(tables); err != nil {
				t.Fatal(err)
			}
			r := started(t, configured)
			r.wantNamespaces([]string{"n0", "n1", "m0"})
			r.stopped()
			aside, err := filepath.Glob(tables + ".broken-2*")
			if err != nil || (len(aside) > 0) != c.anew {
				t.Errorf("set aside are %v, %v", aside, err)
			}
			started(t, configured).stopped()
			if again, _ := filepath.Glob(tables + ".broken-2*"); len(again) != len(aside) {
				t.Errorf("the next start set aside %v", again)
			}
		})
	}
}

func alter(tables, statement string) error {
	db, err := sql.Open("sqlite", tables)
	if err != nil {
		return err
	}
	_, err = db.Exec(statement)
	return errors.Join(err, db.Close())
}
