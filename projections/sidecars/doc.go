// Package sidecars keeps what a warehouse's catalog says in the warehouse itself:
// one small JSON file for every table, view and namespace, below
// "_puddle/catalog/", so that the catalog can be made again when the journal is
// lost. Engines never see them, and nothing reads them while the journal is there.
//
// [Object] and [Namespace] are what the files say, [Encode] and [EncodeNamespace]
// their bytes. [List] reads all of them, one after the other: whatever somebody put
// there, one bad file is one [Unusable] and hides no other (case 52).
//
// A [Follower] writes them behind the commits. It reads a [journal.Lineage] after
// its cursor, folds what it finds into the newest state of each object, writes
// these, at most one a second of each object, and then moves the cursor, which
// lies with the files. A store that fails or hangs makes sidecars late and
// nothing else. What the cursor does not cover is read again after a restart, and
// what the files hold beyond it is found by their event ids: an older state never
// replaces a newer one, also when the cursor is lost and all is read again.
//
// Where another follower may write at the same time ([Options.Others]) it looks at what
// lies there before it replaces it, and again at what it wrote a while later.
//
//	f := sidecars.Follow(sidecars.Options{ID: id, Name: "sales", Store: store, From: journal.Lineage(j, id), Failed: tell})
//	f.Wake() // after each event
//	…
//	err := f.Close(ctx)
//
// Two lists beside the pointer keep recovery from files that are not the table's
// history: those whose commit has an unknown outcome, and the first of each line
// of files that the pointer was moved away from.
package sidecars
