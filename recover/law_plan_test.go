package recover_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
	"puddle/recover/descent"
)

type chooser = func(descent.Object, []descent.File, descent.Proof) descent.Choice

// TestLawPlan: whatever happened to a warehouse, and however late its sidecars are, no
// object gets a wrong file: it gets its current one, or S with a warning, or one of
// what nobody could know. What can be known for certain is found.
func TestLawPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		if err := s.judge(descent.Choose, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// judge recovers a scenario and compares with what is true.
func (s *scenario) judge(by chooser, through func(warehouse.Store) warehouse.Store) error {
	memory, err := s.store()
	if err != nil {
		return err
	}
	var store warehouse.Store = memory
	if through != nil {
		store = through(store)
	}
	plan, err := recover.PlanSidecarsBy(context.Background(), s.evidences(store), by)
	if err != nil {
		return err
	}
	planned := map[uuid.UUID]recover.PlannedObject{}
	names := map[string]bool{}
	for _, o := range plan.Objects {
		if o.Outcome == recover.Recovered {
			if names[o.Identifier.Key()] {
				return fmt.Errorf("%s is recovered twice", o.Identifier)
			}
			names[o.Identifier.Key()] = true
		}
		planned[o.UUID] = o
	}
	for _, o := range s.objects {
		if err := s.judgeObject(o, planned[o.id], plan); err != nil {
			return fmt.Errorf("%s %s: %w", o.kind, o.id, err)
		}
	}
	if want := 5; s.junk >= 5 && countFailedJunk(plan) != want {
		return fmt.Errorf("%d of %d hostile sidecars are told", countFailedJunk(plan), want)
	}
	return nil
}

func countFailedJunk(plan recover.Plan) (n int) {
	for _, o := range plan.Objects {
		if o.UUID[0] == 0 && o.UUID[6] == 0x40 && o.Outcome == recover.Failed && o.Err != nil {
			n++
		}
	}
	return n
}

func (s *scenario) judgeObject(o *lived, p recover.PlannedObject, plan recover.Plan) error {
	if o.sidecar < 0 {
		if p.UUID == o.id || !slices.ContainsFunc(plan.Unregistered, func(u recover.Unregistered) bool { return u.UUID == o.id }) && o.hasOwnFile() {
			return errors.New("it has no sidecar and is not told as unregistered")
		}
		return nil
	}
	said, now := o.states[o.sidecar], o.last()
	switch {
	case p.UUID != o.id:
		return errors.New("it is not in the plan")
	case said.dropped != (p.Outcome == recover.Dropped):
		return fmt.Errorf("outcome %s, the sidecar says dropped: %t", p.Outcome, said.dropped)
	case said.dropped:
		return nil
	case errors.Is(p.Err, recover.ErrNameTaken):
		return s.judgeName(o)
	case now.dropped:
		return o.never(p, recover.Proven, s) // nobody could know
	}
	if o.certain() && (p.Outcome != recover.Recovered || !o.same(p.MetadataLocation, now.current) || p.CommitsBehind != o.behind()) {
		return fmt.Errorf("it is certain, %d behind; planned %s, %d behind (%v, %v)", o.behind(), p.MetadataLocation, p.CommitsBehind, p.Warnings, p.Err)
	}
	return o.judgeFile(p, s)
}

// judgeName tells that an object lost its name to one of a newer sidecar.
func (s *scenario) judgeName(o *lived) error {
	for _, other := range s.objects {
		if other != o && other.sidecar >= 0 && other.sidecarOf().State == sidecars.Active &&
			other.states[other.sidecar].name.Equal(o.states[o.sidecar].name) && other.states[other.sidecar].seq > o.states[o.sidecar].seq {
			return nil
		}
	}
	return errors.New("it lost its name to nobody who is newer")
}

// judgeFile compares the file of an object that is there.
func (o *lived) judgeFile(p recover.PlannedObject, s *scenario) error {
	said, now := o.states[o.sidecar], o.last()
	switch got := o.find(p.MetadataLocation); {
	case p.Outcome == recover.Failed:
		if !said.current.deleted {
			return fmt.Errorf("it failed, and S is there: %w", p.Err)
		}
	case got == nil:
		return fmt.Errorf("%s is none of its files", p.MetadataLocation)
	case got == now.current:
	case got == said.current && (len(p.Warnings) > 0 || o.kind == journal.View):
	case o.rewoundSince(): // a late rewind
	case !s.archive && !got.committed && !got.stranger && got.comesFrom(now.current) && !slices.Contains(o.unconfirmed, got): // an orphan
	case slices.Contains(o.unconfirmed, now.current) && len(p.Warnings) > 0 && !got.committed: // an orphan beside a commit of which nobody knows
	default:
		return fmt.Errorf("it gets %s, and %s is current, S is %s; warnings %q", p.MetadataLocation, now.current.name, said.current.name, p.Warnings)
	}
	if p.Outcome == recover.Recovered && p.Confidence == recover.Proven && !(s.archive && o.find(p.MetadataLocation).committed) {
		return errors.New("it is proven by nothing")
	}
	return nil
}

// never is an error if an object has that confidence without a proof.
func (o *lived) never(p recover.PlannedObject, c recover.Confidence, s *scenario) error {
	if p.Confidence == c && !s.archive {
		return fmt.Errorf("it is %s", c)
	}
	return nil
}

func (o *lived) same(location string, v *version) bool { return o.find(location) == v }

// find is the version that lies at a location.
func (o *lived) find(location string) *version {
	at, err := warehouse.ParseLocation(location)
	if err != nil {
		return nil
	}
	for _, v := range o.files {
		if l, err := warehouse.ParseLocation(o.at(v, 0)); err == nil && l == at {
			return v
		}
	}
	return nil
}

func (o *lived) hasOwnFile() bool {
	return slices.ContainsFunc(o.files, func(v *version) bool { return !v.deleted && !v.bare && !v.stranger })
}

// rewoundSince tells whether the pointer was moved back after the sidecar was written, or
// to what had been abandoned by then.
func (o *lived) rewoundSince() bool {
	abandoned := o.states[o.sidecar].abandoned
	return slices.ContainsFunc(o.states[o.sidecar+1:], func(s state) bool {
		return s.rewound || slices.ContainsFunc(abandoned, s.current.comesFrom)
	})
}

// behind counts the commits from the sidecar's file to the current one.
func (o *lived) behind() (n int) {
	for v := o.last().current; v != o.states[o.sidecar].current && v != nil; v = v.parent {
		n++
	}
	return n
}

// certain tells whether files and sidecar leave no doubt: the current file comes from
// S in one line of files that are there, and every other file that comes from S is one
// that the sidecar warns of.
func (o *lived) certain() bool {
	said, now := o.states[o.sidecar], o.last()
	if o.kind == journal.View || o.rewoundSince() || !now.current.comesFrom(said.current) || said.current.bare && said.current.deleted {
		return said.current == now.current && o.kind == journal.View && !said.current.deleted
	}
	if slices.Contains(o.unconfirmed, now.current) {
		return false
	}
	for _, v := range o.own() {
		step := now.current.comesFrom(v)
		switch {
		case step && v == said.current:
			if v.deleted && v == now.current {
				return false
			}
		case step && v.comesFrom(said.current):
			if v.deleted {
				return false
			}
		case v.deleted:
			return false
		case v.comesFrom(said.current) && !o.warnedOf(v, said):
			return false
		}
	}
	return true
}

// warnedOf tells whether the sidecar says that a file is no step.
func (o *lived) warnedOf(v *version, said state) bool {
	if slices.Contains(o.unconfirmed, v) {
		return true
	}
	return slices.ContainsFunc(said.abandoned, v.comesFrom)
}
