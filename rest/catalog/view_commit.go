package catalog

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/metadata"
)

// CommitView applies updates in order and moves the pointer, again to the newer
// version when another's landed first: two replaces at once both have their way.
// A commit without effect answers the view as it is, without file or event.
// NoSuchView, CommitFailed when a requirement does not hold, FileMissing,
// Invalid, IllegalArgument for two queries in one dialect; AlreadyExists for
// places; Unavailable, OutcomeUnknown.
func (c *Catalog) CommitView(ctx context.Context, cause journal.Cause, id journal.Identifier, requirements []metadata.ViewRequirement, updates []metadata.ViewUpdate) (View, error) {
	release, err := c.lock(ctx, named(id))
	if err != nil {
		return View{}, err
	}
	defer release()
	var view View
	err = onCurrent(func() (err error) {
		view, err = c.replace(ctx, cause, id, requirements, updates)
		return err
	})
	return view, err
}

// replace applies a commit to the version that is current now. When another's
// landed first, its file is gone again.
func (c *Catalog) replace(ctx context.Context, cause journal.Cause, id journal.Identifier, requirements []metadata.ViewRequirement, updates []metadata.ViewUpdate) (View, error) {
	object, err := c.object(ctx, journal.View, id)
	if err != nil {
		return View{}, err
	}
	file, err := c.standing(ctx, object)
	if err != nil {
		return View{}, err
	}
	base, err := decoded(metadata.ParseView(file.text, object.Pointer.MetadataLocation))
	if err != nil {
		return View{}, err
	}
	fresh, err := uuid.NewRandom()
	if err != nil {
		return View{}, because(Unavailable, err, "The change was not made: no randomness")
	}
	view, err := decoded(metadata.CommitView(base, requirements, updates, c.Now(), fresh))
	if err != nil {
		return View{}, err
	}
	if view == base {
		return viewOf(base), nil
	}
	places, err := c.admitNext(ctx, base, view)
	if err != nil {
		return View{}, err
	}
	if !samePlaces(base, view) {
		leave, err := c.settle(ctx, id, view, places)
		if err != nil {
			return View{}, err
		}
		defer leave()
	}
	staged, err := c.stage(ctx, view)
	if err != nil {
		return View{}, err
	}
	staged.base = c.baseOf(object)
	err = c.record(ctx, cause, journal.ViewReplaced{Moves: [1]journal.Move{{
		Kind: journal.View, UUID: object.UUID, From: from(object), Updates: actions(updates),
		To: &journal.To{Identifier: object.Identifier, Pointer: staged.pointer, Location: view.Location(), Places: places},
	}}}, c.keep(staged)...)
	if err != nil {
		c.unstage(ctx, err, staged)
		return View{}, recorded(journal.View, outdone(err, view))
	}
	c.remember(staged, nil, object.Pointer)
	return viewOf(view), nil
}
