package recover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/recover/descent"
)

// decide finds the current file of an object among those of its folders.
func (p *sidecarPlan) decide(ctx context.Context, n *claim, s surveyed) error {
	n.decided = true
	if n.settled.Outcome != Recovered {
		return nil // it has lost its name
	}
	o := descent.Object{
		UUID: n.UUID, View: n.Kind == journal.View, Current: n.current, Damage: p.damage(n, s), Unseen: unseen(s),
		Abandoned: locations(n.Abandoned, map[string]warehouse.Location{}), Written: n.UpdatedAt, Exact: n.Seq != 0,
	}
	for _, u := range n.Unconfirmed {
		o.Unconfirmed = append(o.Unconfirmed, locations([]string{u.Location}, map[string]warehouse.Location{})...)
	}
	var files []descent.File
	for _, f := range s.files {
		if f.UUID == n.UUID || f.UUID == uuid.Nil || p.claims.objects[f.UUID] == nil {
			f.Spelled = n.spelled(f.Name)
			files = append(files, f.File)
		}
	}
	proof, err := p.proof(ctx, o, files)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	n.take(p.choose(o, files, proof))
	return nil
}

// proof is what the archive knows of an object, as far as it can be asked about.
func (p *sidecarPlan) proof(ctx context.Context, o descent.Object, files []descent.File) (descent.Proof, error) {
	if p.Proven == nil {
		return descent.Proof{}, nil
	}
	committed, known, err := p.Proven(ctx, o.UUID)
	if err != nil || !known {
		return descent.Proof{}, err
	}
	proof := descent.Proof{Committed: map[warehouse.Location]bool{}, Until: p.ProvenUntil}
	note := func(at warehouse.Location) {
		if committed(at) {
			proof.Committed[at] = true
		}
	}
	note(o.Current.Location)
	for _, at := range o.Unconfirmed {
		note(at)
	}
	for _, f := range files {
		note(f.Location)
	}
	return proof, nil
}

// damage says why S, which is there, is not to be used: also whose it is.
func (p *sidecarPlan) damage(n *claim, s surveyed) string {
	for _, b := range s.broken {
		if b.Location == n.current.Location {
			return b.reason
		}
	}
	for _, f := range s.files {
		owner := p.claims.objects[f.UUID]
		if f.Location == n.current.Location && owner != nil && owner != n {
			return fmt.Sprintf("it is of the %s %s (%s)", owner.Kind, owner.Identifier.Quoted(), owner.UUID)
		}
		if f.Location == n.current.Location && !n.SHA256.IsZero() && (f.sum != n.SHA256 || n.Size != 0 && f.size != n.Size) {
			return "its bytes are not those that were committed"
		}
	}
	return ""
}

// unseen says which files could not be looked at.
func unseen(s surveyed) string {
	for _, b := range s.broken {
		if b.unseen {
			return b.Spelled + " could not be read, and may be a later one: " + b.reason
		}
	}
	return ""
}

// spelled writes a file's location as the sidecar writes that of S, if both lie in one
// folder: engines compare them as text.
func (n *claim) spelled(f descent.Name) string {
	if f.Location == n.current.Location {
		return n.current.Spelled
	}
	here, there := strings.LastIndexByte(n.current.Spelled, '/')+1, strings.LastIndexByte(f.Spelled, '/')+1
	candidate := n.current.Spelled[:here] + f.Spelled[there:]
	if l, err := warehouse.ParseLocation(candidate); err == nil && l == f.Location {
		return candidate
	}
	return f.Spelled
}

// take makes a choice the plan, in place of an earlier one.
func (n *claim) take(c descent.Choice) {
	n.planned, n.notUsed = n.settled, nil
	n.planned.Warnings = slices.Concat(n.settled.Warnings, c.Warnings)
	if c.Err != nil {
		n.fail(c.Err)
	} else {
		n.planned.MetadataLocation, n.planned.CommitsBehind = c.Spelled, c.Behind
	}
	switch {
	case c.Err != nil:
	case c.Proven:
		n.planned.Evidence, n.planned.Confidence = ByArchive, Proven
	case c.Location != n.current.Location:
		n.planned.Evidence = ByDescendants
	}
	for _, u := range c.NotUsed {
		n.notUsed = append(n.notUsed, NotUsed{u.Location, u.Reason})
	}
}
