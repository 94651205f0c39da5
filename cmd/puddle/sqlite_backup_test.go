package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/rogpeppe/go-internal/testscript"
	"modernc.org/sqlite"
)

// sqliteBackup copies a database that is in use, as sqlite3 does with .backup.
func sqliteBackup(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	conn, err := db.Conn(context.Background())
	ts.Check(err)
	defer conn.Close()
	ts.Check(conn.Raw(func(driver any) error {
		source, ok := driver.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver makes no backups")
		}
		backup, err := source.NewBackup(ts.MkAbs(args[1]))
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			more, err = backup.Step(-1)
		}
		return errors.Join(err, backup.Finish())
	}))
}
