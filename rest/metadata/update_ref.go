package metadata

type setSnapshotRef struct{ ref ref }

var setRefWords = vocabulary{what: "set-snapshot-ref", required: []string{"ref-name", "type", "snapshot-id"},
	optional: []string{"action", "min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"}}

func (setSnapshotRef) Action() string { return "set-snapshot-ref" }

func (r *reader) setSnapshotRef() (Update, error) {
	var f ref
	err := r.update(setRefWords, func(name string) error {
		if name == "ref-name" {
			return r.text(&f.name)
		}
		return r.refMember(&f, name)
	})
	if err == nil {
		err = f.check()
	}
	return setSnapshotRef{f}, err
}

// apply replaces snapshot, type and retention of the reference; retention that
// is not sent is cleared.
func (u setSnapshotRef) apply(b *builder) error {
	f := u.ref
	if !b.hasSnapshot(f.snapshot) {
		return invalidf("Cannot set %s to unknown snapshot: %d", f.name, f.snapshot)
	}
	i := b.refs.index(func(known ref) bool { return known.name == f.name })
	if i >= 0 && b.refs.items[i].of == f {
		return nil
	}
	if i < 0 {
		b.refs.append(f, f.text())
	} else if err := b.replaceRef(i, f); err != nil {
		return err
	}
	if f.name == mainBranch && f.snapshot != b.current {
		b.current = f.snapshot
		b.logCurrent(f.snapshot)
	}
	b.changed = true
	return nil
}

// replaceRef changes what the reference's text says, and keeps what else it has.
func (b *builder) replaceRef(i int, f ref) error {
	member := newReader(b.refs.text(i))
	if err := member.skip(); err != nil { // its name
		return err
	}
	old, err := member.value()
	if err != nil {
		return err
	}
	body, err := edited(old, f.edits()...)
	if err != nil {
		return err
	}
	b.refs.replace(i, f, rope{memberKey(f.name), body})
	return nil
}

type removeSnapshotRef struct{ name string }

func (removeSnapshotRef) Action() string { return "remove-snapshot-ref" }

func (r *reader) removeSnapshotRef() (Update, error) {
	name, err := r.word("remove-snapshot-ref", "ref-name")
	return removeSnapshotRef{name}, err
}

// apply removes a reference, if it is there. Without main the table has no
// current snapshot; the snapshot log says nothing of it.
func (u removeSnapshotRef) apply(b *builder) error {
	removed := b.refs.remove(func(f ref) bool { return f.name == u.name })
	if u.name == mainBranch && b.current != noSnapshot {
		b.current = noSnapshot
		removed = true
	}
	b.changed = b.changed || removed
	return nil
}
