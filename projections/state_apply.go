package projections

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
)

// held is everything a State holds, as one value: copying it is keeping it. Its
// keys are made of parts that a zero byte ends, which no namespace holds.
type held struct {
	cursor         journal.Position
	name, location string
	depth          depth
	owners         owner // the last that there was

	namespaces tree[Namespace]         // by path
	ids        tree[journal.Namespace] // by id
	children   tree[string]            // by parent and name: the name
	objects    tree[HeldObject]        // by uuid, the dropped ones too
	names      tree[uuid.UUID]         // live objects, by identifier
	kinds      tree[string]            // live objects, by namespace, kind and name: the name
	places     tree[uuid.UUID]         // by path: the object
	purges     tree[Purge]             // by the table's uuid
	due        tree[uuid.UUID]         // the pending ones, by the drop's seq: the table
	steps      tree[*past[Step]]       // by uuid
	marks      tree[mark]              // by uuid
	holders    tree[*past[uuid.UUID]]  // by identifier
}

// depth is how much is kept of what happened.
type depth int

const (
	allSteps  depth = iota // and holders
	marksOnly              // of steps, and holders
	noHistory
)

// past is a list that grows at its front and is never changed: newest first.
type past[V any] struct {
	value  V
	before *past[V]
}

// mark is what stands for the steps of an object.
type mark struct {
	newest   journal.Seq
	imported bool             // the newest was
	versions int              // how many led to a version that it did not have before, but for those that were imported
	last     *journal.Pointer // the newest version, through drops and recoveries; not to be changed
}

var _ Tables = (*held)(nil)

// apply folds an event that is yet to be applied. After an error h is worthless.
func (h *held) apply(warehouse uuid.UUID, e journal.Event) error {
	follows, err := Follows(warehouse, h.cursor, e)
	if err != nil || !follows {
		return err
	}
	if err := Fold(h, e); err != nil {
		return err
	}
	h.cursor = e.Position
	return nil
}

// Begin forgets all but history.
func (h *held) Begin(name, location string) error {
	was := *h
	*h = held{
		cursor: h.cursor, name: name, location: location, depth: h.depth, owners: h.owners,
		steps: h.steps, marks: h.marks, holders: h.holders,
	}
	h.ownedBy(was.steps.owner)
	return nil
}

// own has what is done from now on change in place what it has made itself: until share,
// a copy of h does not stay as it is.
func (h *held) own() {
	h.owners++
	h.ownedBy(h.owners)
}

// share has a copy of h stay as it is, whatever is done to h.
func (h *held) share() { h.ownedBy(nobody) }

func (h *held) ownedBy(by owner) {
	h.namespaces.owner, h.ids.owner, h.children.owner = by, by, by
	h.objects.owner, h.names.owner, h.kinds.owner, h.places.owner = by, by, by, by
	h.purges.owner, h.due.owner = by, by
	h.steps.owner, h.marks.owner, h.holders.owner = by, by, by
}

// FindNamespace finds by name.
func (h *held) FindNamespace(name journal.Namespace) (Namespace, bool, error) {
	n, ok := h.namespace(name)
	return n, ok, nil
}

// NamespaceOf finds by id.
func (h *held) NamespaceOf(id uuid.UUID) (journal.Namespace, bool, error) {
	n, ok := h.ids.get(string(id[:]))
	return n, ok, nil
}

// PutNamespace keeps a copy.
func (h *held) PutNamespace(n Namespace) error {
	properties := make(map[string]string, len(n.Properties))
	maps.Copy(properties, n.Properties)
	n = Namespace{ID: n.ID, Name: slices.Clone(n.Name), Properties: properties}
	h.namespaces = h.namespaces.put(n.Name.Key(), n)
	h.ids = h.ids.put(string(n.ID[:]), n.Name)
	h.children = h.children.put(below(n.Name.Parent())+n.Name.Name(), n.Name.Name())
	return nil
}

// DropNamespace forgets it.
func (h *held) DropNamespace(n Namespace) error {
	h.namespaces = h.namespaces.remove(n.Name.Key())
	h.ids = h.ids.remove(string(n.ID[:]))
	h.children = h.children.remove(below(n.Name.Parent()) + n.Name.Name())
	return nil
}

// Occupied looks for a first child and a first object.
func (h *held) Occupied(name journal.Namespace) (bool, error) {
	prefix := below(name)
	return len(list(h.children, prefix, Page{Limit: 1})) > 0 || len(list(h.kinds, prefix, Page{Limit: 1})) > 0, nil
}

// FindObject finds by uuid.
func (h *held) FindObject(id uuid.UUID) (HeldObject, bool, error) {
	o, ok := h.objects.get(string(id[:]))
	return o, ok, nil
}

// NameHolder finds by identifier.
func (h *held) NameHolder(id journal.Identifier) (Object, bool, error) {
	o, ok := h.named(id)
	return o, ok, nil
}

// Move keeps a copy, and puts the step at the front of its object's past.
func (h *held) Move(o HeldObject, e journal.Event, m journal.Move) error {
	key := string(o.UUID[:])
	was, ok := h.objects.get(key)
	named := ok && !was.Dropped
	stays := named && !o.Dropped && was.Kind == o.Kind && was.Identifier.Equal(o.Identifier)
	if named && !stays {
		h.unname(was.Object)
	}
	if !slices.Equal(was.Places, o.Places) {
		h.swapPlaces(o.UUID, was.Places, o.Places)
	}
	o.Identifier = ownIdentifier(o.Identifier)
	h.objects = h.objects.put(key, o)
	if !o.Dropped && !stays {
		h.names = h.names.put(nameKey(o.Identifier), o.UUID)
		h.kinds = h.kinds.put(kindKey(o.Identifier.Namespace, o.Kind)+o.Identifier.Name, o.Identifier.Name)
	}
	h.remember(key, e, m)
	return nil
}

// remember keeps a step of the object with a key.
func (h *held) remember(key string, e journal.Event, m journal.Move) {
	switch h.depth {
	case allSteps:
		before, _ := h.steps.get(key)
		h.steps = h.steps.put(key, &past[Step]{StepOf(e, m), before})
	case marksOnly:
		at, _ := h.marks.get(key)
		at.newest, at.imported = e.Seq, false
		if leads := at.meet(m); leads {
			at.versions++
		}
		h.marks = h.marks.put(key, at)
	}
	h.hold(m)
}

// meet takes the version that a move leads to, and tells whether it is another one than
// the last: what comes back, by a recovery too, mostly is as it was.
func (at *mark) meet(m journal.Move) bool {
	if m.To == nil || at.last != nil && *at.last == m.To.Pointer {
		return false
	}
	last := m.To.Pointer
	at.last = &last
	return true
}

// hold puts an object at the front of those that had the name which a move gives it.
func (h *held) hold(m journal.Move) {
	if h.depth == noHistory || !Names(m) {
		return
	}
	name := nameKey(m.To.Identifier)
	before, _ := h.holders.get(name)
	h.holders = h.holders.put(name, &past[uuid.UUID]{m.UUID, before})
}

func (h *held) unname(o Object) {
	h.names = h.names.remove(nameKey(o.Identifier))
	h.kinds = h.kinds.remove(kindKey(o.Identifier.Namespace, o.Kind) + o.Identifier.Name)
}

// SetPlaces replaces them.
func (h *held) SetPlaces(id uuid.UUID, places []journal.Place) error {
	o, _ := h.objects.get(string(id[:]))
	h.swapPlaces(id, o.Places, places)
	o.Places = places
	h.objects = h.objects.put(string(id[:]), o)
	return nil
}

func (h *held) swapPlaces(id uuid.UUID, old, places []journal.Place) {
	for _, p := range old {
		h.places = h.places.remove(p.Path)
	}
	for _, p := range places {
		h.places = h.places.put(p.Path, id)
	}
}

// PlaceHolder looks up each folder above, then takes the first path below.
func (h *held) PlaceHolder(path string, except uuid.UUID) (uuid.UUID, bool, error) {
	for _, above := range PlacesAbove(path) {
		if holder, ok := h.places.get(above); ok && holder != except {
			return holder, true, nil
		}
	}
	for below, holder := range h.places.from(path) {
		if !strings.HasPrefix(below, path) {
			break
		}
		if holder != except {
			return holder, true, nil
		}
	}
	return uuid.Nil, false, nil
}

// below begins the keys of what is in a namespace.
func below(n journal.Namespace) string { return n.Key() + "\x00" }

func nameKey(id journal.Identifier) string { return below(id.Namespace) + id.Name }

func kindKey(n journal.Namespace, kind journal.ObjectKind) string {
	return below(n) + string(kind) + "\x00"
}
