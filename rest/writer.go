package rest

// WriterState is whether changes are taken.
type WriterState string

// The states of the writer.
const (
	WriterStarting   WriterState = "starting"    // the catalog is being opened
	WriterRunning    WriterState = "running"     // changes are taken
	WriterCatchingUp WriterState = "catching-up" // the pointer tables lack events: changes wait or are refused, for now
	WriterNoRoom     WriterState = "no-room"     // changes are refused until there is room on the disk
	WriterNoDatabase WriterState = "no-database" // changes are refused until the database can be reached and keeps what it acknowledges
	WriterStopped    WriterState = "stopped"     // read only until restart
	WriterAway       WriterState = "away"        // no server runs: who asks has opened the files
)

var writerStates = []WriterState{WriterStarting, WriterRunning, WriterCatchingUp, WriterNoRoom, WriterNoDatabase, WriterStopped, WriterAway}

// Writer is who makes changes events.
type Writer struct {
	State   WriterState
	Reason  string // why it is not running; for the operator
	Waiting int    // changes that have no outcome yet
}

// writerStatus is how the writer is.
type writerStatus struct {
	State   WriterState `json:"state"`
	Reason  string      `json:"reason,omitempty"`
	Waiting int         `json:"waiting"`
}

// writing is how the writer is; without one, as ready says.
func (s *server) writing(ready bool) Writer {
	switch {
	case s.Writer != nil:
		return s.Writer()
	case s.starting:
		return Writer{State: WriterStarting}
	case ready:
		return Writer{State: WriterRunning}
	}
	return Writer{State: WriterCatchingUp}
}

// lasts tells whether the state stays until somebody does something.
func (w Writer) lasts() bool {
	return w.State == WriterStopped || w.State == WriterNoRoom || w.State == WriterNoDatabase
}
