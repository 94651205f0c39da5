// Package verify proves that a catalog is what its journal says, and mends what
// the journal can prove.
//
// [Run] looks at one warehouse, level by level:
//
//  1. the chain: every record of the journal, what is kept beside it, and that it
//     is the journal of this warehouse and not an older copy of it;
//  2. the pointer tables are the fold of the journal;
//  3. every metadata file that a pointer names is there, with the bytes that were
//     committed;
//  4. it parses, is of this table and at its place, and no file beside it says that
//     somebody else went on with the table; files that nobody names are listed.
//
// What is not as it should be is a [Finding]: where, at which position, and what to
// do next. An error means that something was lost or changed; a warning, that
// somebody should look, and nothing that was acknowledged is at stake; a note is
// only told. What could not be looked at is neither fine nor a finding: it is
// [Unseen].
//
// A catalog may be served meanwhile. The tables are compared at the position that
// they have in one transaction; before a file is told to be wrong, the pointer is
// asked for again; and a file that nobody names yet is left alone while it is young.
//
// [Repair] writes metadata files again from the journal's documents, whose digests
// prove them. What it takes the place of is copied to FILE.broken-TIME before.
package verify
