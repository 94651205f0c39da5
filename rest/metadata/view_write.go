package metadata

import "github.com/google/uuid"

// write makes the view's text: that of the base with changed members exchanged
// and missing ones added, or all members for a new view. The order of the calls
// is the order in which new members stand, the Java library's.
func (b *viewBuilder) write(metadataLocation string) *View {
	v := &View{metadataLocation: metadataLocation, state: b.viewState}
	w := writer{all: b.base == nil}
	was := newViewState(uuid.Nil)
	if w.all {
		w.top.brackets = "{}"
	} else {
		w.top, was = b.base.top, b.base.state
	}
	now := &v.state
	w.text("view-uuid", now.uuid.String(), was.uuid.String())
	w.number("format-version", int64(now.formatVersion), int64(was.formatVersion))
	w.text("location", now.location, was.location)
	w.viewProperties(now)
	w.viewList(now, "schemas")
	w.number("current-version-id", int64(now.current), int64(was.current))
	w.viewList(now, "versions")
	w.viewList(now, "version-log")

	v.bytes = w.top.render().bytes()
	w.top.anchor(v.bytes)
	v.top = w.top
	for _, it := range v.top.items {
		if l, ok := now.list(it.of.name); ok {
			l.anchor(v.bytes[it.start+it.of.value : it.end : it.end])
		}
	}
	return v
}

func (w *writer) viewList(s *viewState, name string) {
	if l, _ := s.list(name); w.all || l.isChanged() {
		w.top.set(name, l.render())
	}
}

// viewProperties leaves the member out when there are none, as the Java library
// does.
func (w *writer) viewProperties(s *viewState) {
	if len(s.properties.items) > 0 {
		w.viewList(s, "properties")
	} else if s.properties.changed {
		w.top.drop("properties")
		s.properties = newObject[property]()
	}
}
