// Package catalog is the decision: commands in, events out.
//
// A [Catalog] serves one warehouse. A command is checked against what is true
// now (projections.Reader), what it makes is computed by package metadata, the
// new metadata file is written under a fresh name, and then one event is
// recorded. The record is the commit: before it nothing has happened but a file
// that nobody names; after it everything has. Unique names, uuids, places and
// the expected pointer are decided by the [Recorder], so that a check here can
// be early but never wrong.
//
// # Life of a commit
//
//  1. Lock the names, in order, and of new ones a share of their namespaces, waiting
//     no longer than the request may, nor than the requirements hold; read pointers
//     and base documents.
//  2. Requirements, then updates (metadata.Commit). A refusal has written nothing.
//  3. Check the places of the results; create the new metadata files, durable.
//  4. Record, one event for all tables. A client that hangs up from here on
//     changes nothing.
//  5. Remove metadata files that fell out of the metadata log, where a table wants
//     that and a commit of it made them here.
//  6. Answer with the documents in hand.
//
// Views live by the same rules as tables, and share their names and places with
// them: what differs is what package metadata computes.
//
// A commit that loses to another server's whose pointer landed first is applied
// again to the newer base; requirements that no longer hold are refused at once.
// The new files are deleted only when the change was surely refused.
//
// Registering is step 4 alone, with a file that is there already and stays its
// owner's: it is read, and never written or deleted. So are undropping, which
// brings back what was dropped, and repointing, which moves a pointer by an
// operator's decision. What they read may lie in an external warehouse
// (Options.Externals), as a whole; there is no commit to that.
//
// From before its files are written until its event is recorded, whoever gives an
// object new places occupies them, so that nobody clears them meanwhile
// ([Catalog.Clear]): a purge never deletes below the places of a newborn.
//
// There is no HTTP here. Errors are [*Error] with a [Code].
package catalog
