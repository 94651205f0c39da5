package main

import (
	"fmt"

	"puddle/journal"
)

// archivePage is how far the archive of a warehouse is.
type archivePage struct {
	Mode    string      `json:"mode"`
	Seq     journal.Seq `json:"seq"`
	Behind  uint64      `json:"behind"`
	Lag     float64     `json:"lag-seconds"`
	Stopped bool        `json:"stopped"`
}

// String is the archive in a few words.
func (a archivePage) String() string {
	switch {
	case a.Mode == "off":
		return a.Mode
	case a.Stopped:
		return fmt.Sprintf("%s, stopped at %s, %s", a.Mode, a.Seq, lag(a.Behind))
	case a.Behind == 0:
		return fmt.Sprintf("%s, sealed to %s", a.Mode, a.Seq)
	}
	return fmt.Sprintf("%s, sealed to %s, %s for %.1f s", a.Mode, a.Seq, lag(a.Behind), a.Lag)
}
