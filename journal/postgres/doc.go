// Package postgres is the journal of many replicas: the histories of all warehouses
// in one schema of a PostgreSQL database, which any number of processes append to.
//
// A group of entries is one transaction. It begins by locking the head rows of its
// warehouses ([DB.Begin]), so that for each warehouse one group after the other is
// checked and written: order is commit order, without gaps, and no sequence is
// used. A replica that was not the next finds out under the lock, and has written nothing
// ([journal.ErrNotNext]). A [Tx] lets its user read and write other tables of the
// database in the same transaction; [DB.Append] is Begin, Append and Commit.
//
// What is stored of an event, a document and a request are the bytes that the
// embedded journal keeps, and every reader checks the chain of hashes as it goes.
//
// When a commit's answer is lost, another connection locks the same heads, so that
// the lost transaction is over, and looks the events up by their ids. Only when the
// database cannot be asked for a while is the outcome unknown
// ([journal.ErrUnknownOutcome]). The journal goes on even then, unlike the
// embedded one: the next append sees under the lock what is there.
//
// A server that could lose what it has acknowledged, or that is a copy of another,
// is refused when the journal is opened and again in each transaction: with
// fsync or synchronous_commit off, in recovery, or read only.
//
// Connections are sessions: a pooler between must keep them as such, with their settings
// ([ErrNoSession]). They end transactions in which nothing happens for [IdleLimit], so that a
// replica that is paused or cut off amid one lets the others go on, and is refused when it
// wakes up; and whoever does not answer for [SilenceLimit] is gone for the other one.
//
// What a process has seen committed is its floor: a database that does not hold it any
// more, since it was restored or failed over, is refused to turns and readers
// ([ErrWentBack]). Why else the database does not do what it is asked to is [ErrBusy] or
// [ErrAway]; connections are waited for, and not for ever ([DB.Read]).
//
// A [Lease] is what one process at a time holds for a warehouse. Servers [DB.Join], and who
// recovers or compacts is [DB.Alone].
//
// docs/formats/postgresql.md describes the tables.
package postgres
