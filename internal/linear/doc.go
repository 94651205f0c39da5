// Package linear judges what many clients saw of tables at the same time: is
// there an order of their requests, true to the times at which they were sent and
// answered, in which each answer is right?
//
// It knows one thing of a table, the snapshot its main branch stands at, and two
// requests: a load, and a commit that asserts one snapshot and sets another.
// Whoever drives the product writes down an Op for each and asks Check.
package linear
