// Package mark says in a warehouse that a purge has begun.
//
// A mark is one small object for each purge, below [Folder] in the warehouse's own
// root. It is there from before the first file of the table is deleted until after
// the purge is recorded as done. Without it a server that is started again, with a
// longer grace or a clock that was set back, would take the purge for one that is
// still to come, and bring a table back without the files that went.
//
// That it is there is what counts. What it says is for people, and names the table
// whose purge it was, so that what a crash left can be removed.
package mark
