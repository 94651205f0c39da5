package verify

import (
	"context"
	"fmt"

	"puddle/journal"
	"puddle/projections"
)

// instead is what can be done for an object whose file cannot be written again: move
// it to the newest file that descends from that one, or, where none is found, to
// one that somebody chooses from its history.
func (l *looks) instead(ctx context.Context, o projections.Object) string {
	if l.descended(ctx, o) {
		return l.newestCommand(o)
	}
	return fmt.Sprintf("puddle history %[1]s %[2]s --check, and then puddle repoint %[1]s %[2]s --to FILE --allow-rewind --reason TEXT --dry-run", l.Name, o.UUID)
}

func (r *run) newestCommand(o projections.Object) string {
	return fmt.Sprintf("puddle repoint %s %s --newest --reason TEXT --dry-run", r.Name, o.UUID)
}

// descended tells whether a file in the folders of a table descends from its
// current one. Nothing in the files of a view tells.
func (l *looks) descended(ctx context.Context, o projections.Object) bool {
	if o.Kind == journal.View {
		return false
	}
	relatives, _, err := l.files.Relatives(ctx, o, nil)
	return err == nil && len(descend(o, byPath(relatives)).made) > 0
}
