// Package projections is what is true: state derived from the journal by
// applying its events in order.
//
// A [Projection] holds a cursor, the position of the last event it applied,
// together with its data; the two move in one step, so that after any crash the
// projection says itself where to go on. It is never migrated and never
// repaired: what is doubted is reset and rebuilt by [CatchUp].
//
// The rules are in [Fold]: unique names, uuids and places, and that every move
// starts where its object is. It works on [Tables], of which there are two kinds:
// [State] is the fold in memory, the model that every other projection must
// equal, and in a [Memory] the metastore that keeps nothing; package pointers
// holds the same in SQL. Package recorder applies events as they are made, by the
// same rules; a refusal is a [*Conflict] and answers the request. [Reader] is how
// the rest of puddle asks what is true, of the [Purges] that drops asked for too,
// and a [Dump] what two projections are compared by.
package projections
