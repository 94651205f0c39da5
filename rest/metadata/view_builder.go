package metadata

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// viewBuilder is a view in the making: the state of its base with updates
// applied in order. The base is never changed.
type viewBuilder struct {
	viewState
	base *View // nil when the view is being created
	at   int64 // now, in milliseconds

	// What this request did so far. The last ids are those that add-schema and
	// add-view-version resolved to: what -1 stands for.
	lastSchema, lastVersion int
	sent                    map[int]int  // ids that the request gave its versions, and what they resolved to
	added                   map[int]bool // versions that were not there before
}

// newViewBuilder starts a new version of base, or of nothing when base is nil.
func newViewBuilder(base *View, id uuid.UUID, at time.Time) *viewBuilder {
	b := &viewBuilder{
		base:        base,
		at:          at.UnixMilli(),
		lastSchema:  noID,
		lastVersion: noID,
		sent:        map[int]int{},
		added:       map[int]bool{},
	}
	if base == nil {
		b.viewState = newViewState(id)
	} else {
		b.viewState = base.state
	}
	return b
}

// apply makes updates in order, up to the first that is refused.
func (b *viewBuilder) apply(updates []ViewUpdate) error {
	for _, u := range updates {
		if err := u.applyView(b); err != nil {
			return err
		}
	}
	return nil
}

// changed tells whether there is anything to write.
func (b *viewBuilder) changed() bool {
	was := &b.base.state
	return b.current != was.current || b.location != was.location ||
		b.schemas.changed || b.versions.changed || b.properties.changed
}

// build finishes the bookkeeping of the new metadata, checks it and writes it.
func (b *viewBuilder) build(fresh uuid.UUID) (*View, error) {
	number := int64(0)
	if b.base != nil {
		number = nextVersion(b.base.metadataLocation)
	}
	if err := b.checkDialects(); err != nil {
		return nil, err
	}
	b.logCurrent()
	b.expire()
	if err := b.check(); err != nil {
		return nil, err
	}
	return b.write(fileName(b.metadataFolder(), number, fresh, b.compresses())), nil
}

// checkDialects refuses a current version that says less than the one before,
// unless the properties allow it.
func (b *viewBuilder) checkDialects() error {
	if b.base == nil {
		return nil
	}
	if allowed, _ := b.property(propertyDropDialect); strings.EqualFold(allowed, "true") {
		return nil
	}
	before, _ := b.base.state.version(b.base.state.current)
	now, _ := b.version(b.current)
	for _, dialect := range before.dialects {
		if !slices.Contains(now.dialects, dialect) {
			return invalidf("Cannot replace view due to loss of view dialects (%s=false):\nPrevious dialects: [%s]\nNew dialects: [%s]",
				propertyDropDialect, strings.Join(before.dialects, ", "), strings.Join(now.dialects, ", "))
		}
	}
	return nil
}

// logCurrent notes that another version became the current one (case 63): since
// its own time when it is new, since now when it is taken again.
func (b *viewBuilder) logCurrent() {
	if b.base != nil && b.current == b.base.state.current {
		return
	}
	entry := viewHistoryEntry{b.at, b.current}
	if b.added[b.current] {
		version, _ := b.version(b.current)
		entry.at = version.at
	}
	b.history.append(entry, entry.text())
}

// expire keeps the current version, those of this request and, as far as there
// is room, those with the highest ids (case 63). The log loses all that comes
// before an entry whose version is gone.
func (b *viewBuilder) expire() {
	kept := maps.Clone(b.added)
	kept[b.current] = true
	room := max(b.historySize(), len(kept))
	ids := make([]int, 0, len(b.versions.items))
	for _, it := range b.versions.items {
		ids = append(ids, it.of.id)
	}
	slices.Sort(ids)
	for _, id := range slices.Backward(ids) {
		if len(kept) < room {
			kept[id] = true
		}
	}
	if !b.versions.remove(func(v viewVersion) bool { return !kept[v.id] }) {
		return
	}
	for i := len(b.history.items); i > 0; i-- {
		if !kept[b.history.items[i-1].of.version] {
			b.history.dropFirst(i)
			return
		}
	}
}

// nextID is one more than the highest id of a list, or first.
func nextID[T any](s sequence[T], id func(T) int, first int) (int, error) {
	next := first
	for _, it := range s.items {
		next = max(next, id(it.of)+1)
	}
	if next > math.MaxInt32 {
		return 0, invalidf("Cannot give an id: %d is the highest", math.MaxInt32)
	}
	return next, nil
}
