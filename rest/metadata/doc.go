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
// A refusal is one of four errors: *RequirementFailed and *Conflict (try again on
// newer metadata), *Invalid (never right) and *Unsupported (another format
// version).
//
// # Limits
//
// Table format version 2. Files are written uncompressed. Nothing is deleted:
// write.metadata.delete-after-commit.enabled is kept as any other property.
package metadata
