// Package purge removes the files of tables that were dropped with a purge.
//
// A drop asks, the event says so, and a [Job] does it when the grace is over.
// What is to be removed is found by walking the table's metadata, never by
// listing a folder: the current metadata file leads to manifest lists, these to
// manifests, these to data and delete files. What no snapshot of the current
// metadata reaches stays, such as the files of snapshots that were expired.
//
// # Whose files
//
// Metadata is written by clients, so it only proposes. A file goes when all of
// this holds, and else it stays and is reported with the reason:
//
//   - its location is one that puddle accepts, inside a root of the warehouse and
//     not the root, with no segment that is _puddle;
//   - it lies below a place that the table owned when it was dropped;
//   - no live object's place is the file, above it or below it now.
//
// The last is asked again before every batch, together with whether the purge is
// still wanted, while the [Guard] holds off the births of objects at these
// places. When it cannot be asked, nothing is deleted. The stores never follow
// links.
//
// # Order
//
// Files go by [Kind], in the order of the constants, each kind to its end before the next
// begins: what is named before what names it, the current metadata file last, then
// the event table-purged. A crash at any step leaves the way to all that is left,
// so the job begins anew and needs to remember nothing. A file that is gone is
// done.
//
// What a restart must know is that the first file went: from then on nobody may
// bring the table back, whatever the grace says. An object
// of package mark says so, from before the first delete until table-purged is
// recorded.
//
// A manifest or manifest list that cannot be read, for its bytes make no sense,
// stays, and so does what was not read of it.
//
// # When something fails
//
// A file that cannot be deleted or read now is tried again in later passes, with
// growing pauses. After some passes it is counted as failed and the purge goes on,
// but only if the store answers and has deleted others of that kind: a store that
// takes no deletes is waited for, for ever. The current metadata file is never
// given up, so a purge closes only on a store that works. A purge whose places are
// outside of the configured roots waits for them. One of a table in an external
// warehouse removes nothing, and its report says so. One table's trouble never holds
// up another's.
package purge
