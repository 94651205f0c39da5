// Package journal is what happened: an append-only history of events for each
// warehouse. The append is the commit; everything else in puddle is derived
// from here and can be thrown away.
//
// # Shapes
//
// A decided request is a [Draft]. The [Chain] of its warehouse turns it into an
// [Event] with a place in history: seq, time, the hash of the event before. An
// [Entry] is that event with its canonical bytes and the [Document]s kept beside
// the chain: whole, or as a patch on an earlier one, which a [Shelf] opens. A
// [Request] binds an idempotency key in the same step as its event;
// an [Answer] that made no event is remembered by itself. A [Writer] makes entries durable, a [Reader] gives them back.
//
// What happened is the event's [Body]. Tables and views appear in bodies as
// [Move]s: where a pointer was, where it is, under which name and in which
// places. A body holds results, never requests, so that folding the events needs
// no storage, no clock and no randomness.
//
// # Promises
//
// One event has one sequence of bytes and one hash. A seq is dense within an
// incarnation and never means two things. Time never goes back. Bytes once
// written are readable for ever: new meaning gets a new version, and a build
// stops at what it does not know instead of skipping it.
//
// What may follow what is decided by [Chain.Follow] and [Heads.Follow], for every
// implementation alike. [Memory] keeps everything in memory, package bolt in one
// file, package postgres in a database. All run the suite of package journaltest.
// [Reading] checks for them what comes from storage.
package journal
