// Package leased is a warehouse store for who may write only for a while.
//
// A follower of a journal runs on one replica at a time, by a lease. Its [Store] asks
// before each write whether the lease is still held, and refuses when it is not: also
// what a follower writes while it is being closed, or when its process was paused and
// wakes up. Reads are not asked about.
//
// It does not fence: between the question and the write a process can be paused for as
// long as somebody likes. What comes of such a write is for each follower to bear.
package leased
