// Package projections is what is true: state derived from the journal by
// applying its events in order.
//
// A [Projection] holds a cursor, the position of the last event it applied,
// together with its data; the two move in one step, so that after any crash the
// projection says itself where to go on. It is never migrated and never
// repaired: what is doubted is reset and rebuilt by [CatchUp].
//
// [State] is the fold in memory: the model that every other projection must
// equal, and the metastore that keeps nothing. Package pointers holds the same
// in SQL tables. Package recorder applies events as they are made, with the same
// Apply; a refusal there is a [*Conflict] and answers the request. [Reader] is
// how the rest of puddle asks what is true.
package projections
