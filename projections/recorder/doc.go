// Package recorder is the heart: drafts go in, events come out, pointers have
// moved.
//
// # The five steps
//
// One goroutine takes all waiting drafts, of all warehouses in the journal, as
// a group and carries it through: it begins the pointer transaction (1), applies
// each draft in order under a savepoint (2), appends the winners to the journal
// (3), commits the pointer transaction (4) and answers (5). Step 3 is the
// commit. What a request wants and cannot have (a name, a uuid, a place, a
// pointer that moved) is decided in step 2, by the Apply that replay uses too,
// so that no two requests can both pass. While one group is syncing the next
// gathers; there is no waiting window.
//
// # Promises
//
// Record without an error: the event is durable, and every later read of
// [Recorder.Reader] shows it, also when step 4 failed; readers then wait until
// the pointer tables have caught up. Record with an error: the call left no
// trace, with the one exception of journal.ErrUnknownOutcome, after which the recorder
// has stopped and only opening the journal again tells.
//
// Objects used last are answered from memory, in a hot map for each warehouse: a
// reader keeps what the tables answered only if no group began meanwhile to move a
// name of that shard, and step 4 takes the names out before and puts them in after.
//
// A draft may bind an idempotency key. Of two drafts with one key, or a draft and
// an answer given to [Recorder.Remember], the second gets journal.ErrKeyTaken: step
// 2 asks the journal. Answers that wait are stored together after a group.
//
// # Use
//
// The caller opens journal and store, appends the births of new warehouses,
// brings the store up with [projections.CatchUp] and calls [New]. It closes the
// recorder before it closes journal and store. Births of incarnations never go
// through a recorder.
package recorder
