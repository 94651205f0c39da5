// Package anchor keeps what ties a warehouse to its journal: two small JSON
// files under "_puddle/" in the warehouse itself.
//
// warehouse.json is the identity: which warehouse this storage belongs to. It is
// created once, if absent, and names the same id as the journal's first record,
// so that a journal is never run over another warehouse's files, and a lost
// catalog is never silently replaced by an empty one.
//
// head.json is the anchor: the newest position of the journal as the warehouse
// last saw it. A [Follower] rewrites it behind the commits, at most once a
// second. A journal that stands behind its anchor was rolled back, and
// [Head.Check] says so at the next start. The anchor may be late; that is not
// a finding.
//
// Both are JSON with two spaces of indentation and a newline at the end. UUIDs
// and digests are lower-case text, times RFC 3339 in UTC with milliseconds. A
// reader ignores members that it does not know, refuses what is missing or of
// another type as [ErrDamaged], and a newer format-version as [ErrNewer].
package anchor
