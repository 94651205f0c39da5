package metadata

import "fmt"

// RequirementFailed says that a requirement of a commit does not hold. Clients
// refresh and try again. The message starts with "Requirement failed: ".
type RequirementFailed struct{ Message string }

// Conflict says that an update was made for older metadata than the present one,
// such as a snapshot with a stale sequence number. Clients refresh, rebuild the
// update and try again.
type Conflict struct{ Message string }

// Invalid says that a file or a request is wrong and stays wrong however often
// it is tried.
type Invalid struct{ Message string }

func (e *RequirementFailed) Error() string { return e.Message }
func (e *Conflict) Error() string          { return e.Message }
func (e *Invalid) Error() string           { return e.Message }

func failedf(format string, args ...any) error {
	return &RequirementFailed{"Requirement failed: " + fmt.Sprintf(format, args...)}
}

func conflictf(format string, args ...any) error {
	return &Conflict{fmt.Sprintf(format, args...)}
}

func invalidf(format string, args ...any) error {
	return &Invalid{fmt.Sprintf(format, args...)}
}
