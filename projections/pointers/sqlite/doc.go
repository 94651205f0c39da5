// Package sqlite is the store of pointers in SQLite: the tables of
// docs/formats/sql.md, one file for all warehouses.
//
// It is a projection: derived from the journal, thrown away when doubted, never
// migrated. [Open] refuses a file of another schema with pointers.ErrSchema and a damaged
// one with pointers.ErrCorrupt; the caller renames it with [SetAside], opens a new one and
// lets projections.CatchUp fill it.
//
// The rules are projections.Fold's; this package only holds the tables. One
// connection writes, and an event is one savepoint of its transaction. A few
// others read, each statement prepared once, and see what was committed when
// they ask. A commit is not synced: after a crash of the machine the file may
// stand behind the journal, never at something that was not, and catches up. A
// goroutine moves the write-ahead log into the file, beside the writer.
package sqlite
