// Package pointers is what the pointer tables in SQL have in common: how what nobody looks
// for lies in one value of a row, and the errors of the tables.
//
// The stores are package sqlite, one file for one server, and package postgres, one
// schema for many. Both are projections: derived from the journal, thrown away when
// doubted, never migrated. The rules are projections.Fold's; the stores only hold the
// tables, which docs/formats/sql.md describes.
package pointers
