package metadata

import "slices"

// write makes the document's text: that of the base with changed members
// exchanged and missing ones added, or all members for a new table. The order of
// the calls is the order in which new members stand, the Java library's.
func (b *builder) write(metadataLocation string) *Document {
	w := writer{state: b.state, all: b.base == nil}
	was := newState(b.uuid)
	if w.all {
		w.top.brackets = "{}"
	} else {
		w.top, was = b.base.top, b.base.state
	}
	now := &w.state
	w.number("format-version", int64(now.formatVersion), int64(was.formatVersion))
	w.text("table-uuid", now.uuid.String(), was.uuid.String())
	w.text("location", now.location, was.location)
	if now.formatVersion > 1 {
		w.number("last-sequence-number", now.lastSequence, was.lastSequence)
	}
	w.number("last-updated-ms", now.lastUpdated, was.lastUpdated)
	w.number("last-column-id", int64(now.lastColumnID), int64(was.lastColumnID))
	w.singleSchema(was.formatVersion)
	w.number("current-schema-id", int64(now.currentSchema), int64(was.currentSchema))
	w.list("schemas")
	w.singleSpec(was.formatVersion)
	w.number("default-spec-id", int64(now.defaultSpec), int64(was.defaultSpec))
	w.list("partition-specs")
	w.number("last-partition-id", int64(now.lastPartitionID), int64(was.lastPartitionID))
	w.number("default-sort-order-id", int64(now.defaultOrder), int64(was.defaultOrder))
	w.list("sort-orders")
	w.list("properties")
	w.currentSnapshot(now.current, was.current)
	if now.formatVersion >= 3 {
		w.number("next-row-id", now.nextRow, was.nextRow)
	}
	if now.keys.isChanged() {
		w.list("encryption-keys")
	}
	for _, name := range []string{"refs", "snapshots", "statistics", "partition-statistics", "snapshot-log", "metadata-log"} {
		w.list(name)
	}
	return w.document(metadataLocation)
}

// writer collects the members of a new document.
type writer struct {
	state state
	top   object
	all   bool // write every member, not only what changed
}

// must tells whether a member is written although no commit changed it.
func (w *writer) must(name string) bool { return w.all || slices.Contains(w.state.owed, name) }

func (w *writer) number(name string, now, was int64) {
	if now != was || w.must(name) {
		w.top.set(name, number(now))
	}
}

func (w *writer) text(name, now, was string) {
	if now != was || w.must(name) {
		w.top.set(name, rope{quote(now)})
	}
}

func (w *writer) list(name string) {
	if l, _ := w.state.list(name); l.isChanged() || w.must(name) {
		w.top.set(name, l.render())
	}
}

// currentSnapshot spells none as the Java library does: -1 up to format version
// 2, null from 3 (case 6).
func (w *writer) currentSnapshot(now, was int64) {
	const name = "current-snapshot-id"
	if now != noSnapshot || w.state.formatVersion < 3 {
		w.number(name, now, was)
	} else if now != was || w.must(name) {
		w.top.set(name, rope{[]byte("null")})
	}
}

// document joins the text and tells every list where its part of it stands.
func (w *writer) document(metadataLocation string) *Document {
	text := w.top.render().bytes()
	w.top.anchor(text)
	for _, it := range w.top.items {
		if l, ok := w.state.list(it.of.name); ok {
			l.anchor(text[it.start+it.of.value : it.end : it.end])
		}
	}
	return &Document{bytes: text, metadataLocation: metadataLocation, top: w.top, state: w.state}
}
