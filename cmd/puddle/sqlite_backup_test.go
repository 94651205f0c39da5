package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/rogpeppe/go-internal/testscript"
	"modernc.org/sqlite"
)

func sqliteBackup(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(backUp(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// backUp copies a database that is in use, as sqlite3 does with .backup.
func backUp(from, to string) error {
	db, err := sql.Open("sqlite", from)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		source, ok := driver.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver makes no backups")
		}
		backup, err := source.NewBackup(to)
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			more, err = backup.Step(-1)
		}
		return errors.Join(err, backup.Finish())
	})
}
