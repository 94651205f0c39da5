package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is what came of a step.
type Verdict string

// The verdicts.
const (
	Holds  Verdict = "holds"  // the store does what puddle relies on
	Broken Verdict = "broken" // it does something else, and did not say so
	Denied Verdict = "denied" // it refuses access
	Unseen Verdict = "unseen" // it could not be asked, or failed: nobody knows
	None   Verdict = "none"   // it has no such thing, or tells nothing of it
)

// The steps, in the order in which they are tried.
const (
	Write            = "write"
	Read             = "read"
	Stat             = "stat"
	List             = "list" // what was just written
	CreateIfAbsent   = "create-if-absent"
	Race             = "race" // several create one key, and one of them does
	Replace          = "replace"
	ReadAfterReplace = "read-after-replace"
	OddKeys          = "odd-keys" // are kept apart, and as they are
	Delete           = "delete"
	ReadAfterDelete  = "read-after-delete"
	ListAfterDelete  = "list-after-delete"
	BatchDelete      = "batch-delete"
	Clock            = "clock"
)

// FarOff is the difference of clocks beyond which Clock is Broken. An object store refuses
// requests whose time differs by 15 minutes.
const FarOff = 5 * time.Minute

// Step is one thing that was tried.
type Step struct {
	Name    string
	Verdict Verdict
	Took    time.Duration
	Err     error // why; nil where it holds
}

// String is the step in a line.
func (s Step) String() string {
	line := fmt.Sprintf("%s: %s, %s", s.Name, s.Verdict, s.Took.Round(100*time.Microsecond))
	if s.Err != nil {
		line += ": " + s.Err.Error()
	}
	return line
}

// Report is what a store does.
type Report struct {
	At    time.Time // when it was begun, by this machine
	Took  time.Duration
	Steps []Step         // those that were tried
	Ahead *time.Duration // the store's clock is by so much, less where it is behind; nil: it does not tell
	Left  []string       // the keys that could not be removed
}

var errUntried = errors.New("it was not tried")

// Of is a step; Unseen when it was not tried.
func (r Report) Of(name string) Step {
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{Name: name, Verdict: Unseen, Err: errUntried}
}

// Worst is the worst verdict of some steps.
func (r Report) Worst(names ...string) Verdict {
	bad := []Verdict{Holds, None, Unseen, Denied, Broken}
	worst := 0
	for _, name := range names {
		worst = max(worst, slices.Index(bad, r.Of(name).Verdict))
	}
	return bad[worst]
}

// Conditional tells whether the store creates a key only if it is absent: Holds, Broken, or
// Unseen, the latter two with the reason.
func (r Report) Conditional() (Verdict, error) {
	one, race := r.Of(CreateIfAbsent), r.Of(Race)
	switch {
	case one.Verdict == Broken:
		return Broken, one.Err
	case race.Verdict == Broken:
		return Broken, race.Err
	case one.Verdict == Holds && race.Verdict == Holds:
		return Holds, nil
	}
	return Unseen, r.Unseen()
}

// Findings are what the store must do and does not.
func (r Report) Findings() (all []string) {
	for _, s := range r.Steps {
		if s.Verdict == Broken && s.Name != Clock {
			all = append(all, s.Name+": "+s.Err.Error())
		}
	}
	return all
}

// Warnings are what puddle can live with.
func (r Report) Warnings() (all []string) {
	for _, s := range r.Steps {
		switch {
		case s.Verdict == Broken && s.Name == Clock:
			all = append(all, s.Err.Error())
		case s.deletesDenied():
			all = append(all, "the storage refuses to delete, so that files of dropped tables stay: "+s.Err.Error())
		}
	}
	if len(r.Left) > 0 {
		all = append(all, "left behind by the probe, and of no use: "+strings.Join(r.Left, ", "))
	}
	return all
}

// deletesDenied tells whether it was refused to delete, as with an object lock or a policy.
func (s Step) deletesDenied() bool {
	return s.Verdict == Denied && (s.Name == Delete || s.Name == BatchDelete)
}

// Unseen is why not everything could be looked at; nil: it was.
func (r Report) Unseen() error {
	for _, s := range r.Steps {
		if s.Verdict == Unseen || s.Verdict == Denied && !s.deletesDenied() {
			return fmt.Errorf("%s: %w", s.Name, s.Err)
		}
	}
	return nil
}

// String is the report, a line a step.
func (r Report) String() string {
	var lines []string
	for _, s := range r.Steps {
		lines = append(lines, s.String())
	}
	for _, key := range r.Left {
		lines = append(lines, "left behind: "+key)
	}
	return strings.Join(lines, "\n")
}
