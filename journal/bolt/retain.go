package bolt

import "puddle/journal"

// made names the document that a move of an event made.
type made struct {
	seq  journal.Seq
	move int
}
