// Package recover answers what to do when something is lost.
//
// At every start it decides whether the parts that should belong together do:
// the journal, the warehouse's identity and anchor, and the pointer tables.
//
//   - [Binder.Bind] ties a configured warehouse to its history in the journal. A
//     warehouse that neither side knows is born; one that only one side knows
//     was lost or moved, and is refused.
//   - [Stray] finds pointer tables whose journal is gone.
//   - [Replay] brings a projection up to the journal, and rebuilds it when it is
//     empty or contradicts itself. One that is ahead of the journal, or of
//     another history, is refused.
//
// A lost catalog is never silently replaced by an empty one. A refusal is a
// [*Refusal]: it has changed nothing, says what was seen, and names the command
// that the operator may want.
//
// The rules are those of docs/formats/record.md (identities) and law 7: no
// projection is ahead of its journal.
package recover
