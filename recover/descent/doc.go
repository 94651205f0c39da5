// Package descent judges which metadata file of a table is its current one, when all
// that is known is what lies in the warehouse.
//
// A sidecar names a file, S, that was the current one when the sidecar was written.
// Commits after that left files that descend from it: each lists the one it was made
// from in its metadata log. [Choose] follows these logs, step by step, since a log may
// be short (case 38), and gives the newest file if there is one line of them. Where it
// is not one line, or a file on the way is gone, it gives S and says why: it never
// guesses (cases 39 and 40). Views have no such log and get S (case 63).
//
// What it never looks at is the numbers in names (case 36). Times tell at most that a
// file is older than S and so cannot come from it.
//
// Some files look like descendants and are none: those whose commit had an unknown
// outcome, those that the pointer was moved away from, and what a crash left between
// writing a file and its event. The sidecar lists the first two. Nothing tells the
// third from a commit whose sidecar was not written, but an archive that covers the
// time: a [Proof].
//
// The package is pure: the same files give the same [Choice], in whatever order they
// come, however their locations are spelled.
package descent
