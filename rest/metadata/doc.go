// Package metadata is the engine of Iceberg table metadata: it reads a metadata
// file, checks the requirements of a commit, applies its updates and yields the
// next file. Everything in it is a pure function of its arguments: no clock, no
// randomness, no input or output. Time and UUIDs are handed in.
//
// # Raw-preserving
//
// A Document keeps the exact bytes of its file beside a small typed index. The
// top level and every list in it are cut into items (see sequence); a commit
// replaces, appends or drops items and copies all else byte for byte. Members
// that this build does not know, the spelling of numbers, 64-bit ids and the
// white space of what a commit did not touch therefore survive.
//
// # Strict in, loadable out
//
// Parse and DecodeCommit refuse duplicate names, other spellings of known names
// in case, trailing text, invalid UTF-8, a byte order mark, and numbers that are
// not whole. A document that comes out of Create or Commit has passed the same
// checks as one that Parse accepts, so nothing is written that the Java library
// would refuse to load.
//
// # A commit
//
//	requirements, updates, err := metadata.DecodeCommit(body)
//	next, err := metadata.Commit(base, requirements, updates, at, fresh)
//	if next == base { /* nothing changed: no file, no event */ }
//
// A refusal is one of three errors: *RequirementFailed and *Conflict (try again on
// newer metadata), and *Invalid (never right).
//
// # Format versions
//
// Tables of format version 1, 2 and 3 are read and written; an upgrade adds what a
// version brings and takes out what it no longer has. Files of version 1 may leave
// out much: what the Java library reads for it is owed, and written with the next
// commit (completeV1). The single schema and partition-spec of version 1 are
// copies, kept in step with the lists. A file without a UUID loads, and must be
// given one (Document.WithUUID).
//
// Transforms with more than one argument have source-ids and no source-id, as the
// spec says. The Java library does not load such specs yet: it is the one thing
// written here that it refuses.
//
// # Limits
//
// Whether a file is gzipped is told by its name (IsCompressedName), and chosen by
// write.metadata.compression-codec; to deflate it is for others. So is it to
// delete: write.metadata.delete-after-commit.enabled is kept as any other property.
package metadata
