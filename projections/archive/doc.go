// Package archive keeps a copy of a warehouse's journal in the warehouse itself:
// sealed segments under "_puddle/journal/<incarnation>/", for the day on which the
// machine with the journal is lost.
//
// A segment is some events in a row, exactly as the journal has them, under the seq
// of the first of them: <first>.events, and <first>.documents where metadata files
// were kept beside them. Both are created only if absent, never deleted, and replaced
// only where [Seal] mends what is damaged, so that the name is a claim: whoever has
// created it owns that place in the history. The documents come first; once the events are there the segment is
// whole. A writer that finds its name taken looks who took it. Where the segment
// ends at an event of its own journal it was itself, before an answer was lost, and
// goes on behind it. Otherwise a second writer archives another history of the same
// warehouse ([ErrSecondWriter]), or its journal lacks what was archived ([ErrAhead]).
//
// A [Follower] seals what a journal has and the archive lacks: all incarnations, the
// oldest first. It is behind by a second or so, and [Follower.Wait] waits for it. A
// store that fails or hangs makes the archive late and nothing else.
//
// [Open] reads an archive as [journal.Histories]: what [journal.Lineage] and
// projections read from a journal they read from an archive. One segment at a time
// is inflated, all of it is checked before any event of it is shown, and what is
// wrong names the object and the event ([Damage]).
//
// What is gone or damaged [Audit] tells, and [Seal] seals again from a journal that is
// whole. Without one, [Whole] is what of an archive can be relied on; damaged documents
// can be spared ([Archive.Spare]), and [ReadClaims] tells of an end that is gone. Before
// a catalog is served [Compare] looks whether journal and archive have one history.
//
// HEAD is where to begin to look for the newest segment. It is a hint: what it says
// is compared with the segments, and without it they are listed.
package archive
