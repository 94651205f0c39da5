// Package journaltest is what every journal must do, and what every user of one
// needs in tests.
//
// [Run] is the suite: each implementation runs it. A [Story] is a history in the
// making together with the model of what it folds to; [Draw] draws random ones
// that never contradict themselves, [DrawConflicting] mixes in drafts that break
// one rule each. [Entries] turns drafts into entries, always into the same bytes.
// [Faulty] makes appends fail before and after they took effect.
package journaltest
