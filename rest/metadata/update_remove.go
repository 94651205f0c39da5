package metadata

// removal is an update that does nothing but take out what belongs to snapshots.
type removal struct {
	action string
	ids    []int64 // of the snapshots
}

func (u removal) Action() string { return u.action }

func (r *reader) removeSnapshots() (Update, error) {
	u := removal{action: "remove-snapshots"}
	err := r.update(updateWords(u.action, "snapshot-ids"), func(string) error {
		return r.array(func() error {
			var id int64
			err := r.long(&id)
			u.ids = append(u.ids, id)
			return err
		})
	})
	return u, err
}

// removal reads one that names a single snapshot.
func (r *reader) removal(action string) (Update, error) {
	id, err := r.snapshotID(action)
	return removal{action, []int64{id}}, err
}

// joined adds an update to others. The order of removals among themselves does
// not matter, so that all of a run with the same action become one: the Java
// library expires snapshots one by one, each with its statistics, and each would
// go through the whole list again (case 23).
func joined(updates []Update, next Update) []Update {
	more, ok := next.(removal)
	for i := len(updates) - 1; ok && i >= 0; i-- {
		before, removes := updates[i].(removal)
		if !removes {
			break
		}
		if before.action == more.action {
			updates[i] = removal{more.action, append(before.ids, more.ids...)}
			return updates
		}
	}
	return append(updates, next)
}

// apply passes over unknown ids.
func (u removal) apply(b *builder) error {
	ids := make(map[int64]bool, len(u.ids))
	for _, id := range u.ids {
		ids[id] = true
	}
	of := func(f statisticsFile) bool { return ids[f.snapshot] }
	switch u.action {
	case "remove-statistics":
		b.changed = b.statistics.remove(of) || b.changed
	case "remove-partition-statistics":
		b.changed = b.partitionStatistics.remove(of) || b.changed
	default:
		b.removeSnapshots(ids)
	}
	return nil
}

// removeSnapshots removes snapshots with their statistics and the references to
// them, main included.
func (b *builder) removeSnapshots(ids map[int64]bool) {
	// Only what is there is removed: references and statistics may name other ids.
	gone := make(map[int64]bool, len(ids))
	for i := range b.snapshots.items {
		if id := b.snapshots.items[i].of.id; ids[id] {
			gone[id] = true
		}
	}
	if !b.snapshots.remove(func(s snapshot) bool { return gone[s.id] }) {
		return
	}
	b.statistics.remove(func(f statisticsFile) bool { return gone[f.snapshot] })
	b.partitionStatistics.remove(func(f statisticsFile) bool { return gone[f.snapshot] })
	b.refs.remove(func(f ref) bool { return gone[f.snapshot] })
	if gone[b.current] {
		b.current = noSnapshot
	}
	b.removedSnapshots = true
	b.known = nil
	b.changed = true
}
