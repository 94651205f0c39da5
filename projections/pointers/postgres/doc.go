// Package postgres is the store of pointers in PostgreSQL: the tables of
// docs/formats/postgresql.md that follow the journal in the same schema, for any number
// of replicas.
//
// It is a projection: derived from the journal, made anew by a build that needs other
// tables, never migrated ([Open]). The rules are projections.Fold's. Whoever writes holds the
// head of the warehouse, so that there are no constraints but primary keys, and nothing
// to be found out from a statement that failed.
//
// A transaction works on a sheet: the rows that its events may need are read
// ahead in one round trip, the fold runs in memory, and what has changed is written
// with one statement a table. What was not foreseen is asked for when it is
// needed. A [Turn] is such a transaction with the journal in it: events and pointers
// are committed together, and nobody ever sees one without the other.
//
// Readers ask for the cursor in the statement that asks for rows, so that each answer
// is known to be as new as what this process has seen committed, or is refused
// ([journal/postgres.ErrWentBack]). Nothing is cached.
package postgres
