// Package recorder is the heart: drafts go in, events come out, pointers have
// moved.
//
// # The five steps
//
// A lane's goroutine takes all waiting drafts as a group and carries it through: it
// begins the transaction (1), applies each draft in order under a savepoint (2),
// makes the winners durable (3) and visible (4) and answers (5). Step 3 is the
// commit. What a request wants and cannot have (a name, a uuid, a place, a
// pointer that moved) is decided in step 2, by the Apply that replay uses too,
// so that no two requests can both pass. While one group is syncing the next
// gathers; there is no waiting window.
//
// The steps are the same over two backends. The embedded one ([New]) is a journal that
// nobody else writes to and the store that follows it, with one lane for all warehouses:
// step 3 appends to the journal, step 4 commits the pointer tables. The shared one
// ([NewShared]) is a [Database] that other processes write to as well, with a lane for
// each warehouse: steps 1 to 4 are a [Turn]. [Memory] is such a database in memory.
//
// # Promises
//
// Record without an error: the event is durable, and every later read of
// [Recorder.Reader] shows it, also when step 4 failed; readers then wait until
// the pointer tables have caught up. Record with an error: the call left no
// trace, with the one exception of journal.ErrUnknownOutcome. After that an embedded
// recorder has stopped, and only opening the journal again tells; a shared one goes on,
// and the same draft tried again tells.
//
// One draft harms no other: a group that is refused for something in it is tried again in
// parts, and a lane whose turn does not begin keeps no other lane waiting.
//
// In an embedded recorder objects used last are answered from memory, in a hot map for
// each warehouse: a reader keeps what the tables answered only if no group began
// meanwhile to move a name of that shard, and step 4 takes the names out before and puts
// them in after.
//
// A draft may bind an idempotency key. Of two drafts with one key, or a draft and
// an answer given to [Recorder.Remember], the second gets journal.ErrKeyTaken: step
// 2 asks for it. Answers that wait are stored together: after a group, or in its turn.
//
// # Use
//
// The caller opens journal and store, appends the births of new warehouses,
// brings the store up with [projections.CatchUp] and calls [New] or [NewShared]. It
// closes the recorder before it closes journal and store. Births of incarnations never go
// through a recorder.
package recorder
