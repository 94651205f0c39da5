package journal

// event writes the record of an event.
func (w *writer) event(e Event) {
	w.raw(`{"at":`)
	w.integer(e.At.UnixMilli())
	w.raw(`,"body":{`)
	e.Body.write(w)
	w.raw(`},"cause":`)
	w.cause(e.Cause)
	w.raw(`,"id":`)
	w.uuid(e.ID)
	w.raw(`,"incarnation":`)
	w.uuid(e.Incarnation)
	w.raw(`,"kind":`)
	w.text(string(e.Kind()))
	w.raw(`,"kv":`)
	w.integer(bodyVersion)
	w.raw(`,"seq":`)
	w.seq(e.Seq)
	w.raw(`,"v":`)
	w.integer(RecordVersion)
	w.raw(`,"wall":`)
	w.integer(e.Wall.UnixMilli())
	w.raw(`,"warehouse":`)
	w.uuid(e.Warehouse)
	w.raw(`}`)
}

func (w *writer) cause(c Cause) {
	w.raw(`{"actor":`)
	w.text(string(c.Actor))
	w.optional(`,"engine":`, c.Engine)
	w.optional(`,"key":`, c.Key)
	w.raw(`,"origin":`)
	w.text(string(c.Origin))
	w.optional(`,"request-id":`, c.RequestID)
	w.raw(`}`)
}

func (b IncarnationStarted) write(w *writer) {
	w.raw(`"build":`)
	w.text(b.Build)
	w.raw(`,"location":`)
	w.text(b.Location)
	w.raw(`,"name":`)
	w.text(b.Name)
	if b.Parent != nil {
		w.raw(`,"parent":{"hash":`)
		w.digest(b.Parent.Hash)
		w.raw(`,"incarnation":`)
		w.uuid(b.Parent.Incarnation)
		w.raw(`,"seq":`)
		w.seq(b.Parent.Seq)
		w.raw(`}`)
	}
	w.raw(`,"reason":`)
	w.text(b.Reason)
}

func (b NamespaceCreated) write(w *writer) {
	w.raw(`"id":`)
	w.uuid(b.ID)
	w.raw(`,"namespace":`)
	w.texts(b.Namespace)
	w.raw(`,"properties":`)
	w.properties(b.Properties)
}

func (b NamespaceUpdated) write(w *writer) {
	w.raw(`"id":`)
	w.uuid(b.ID)
	w.raw(`,"namespace":`)
	w.texts(b.Namespace)
	w.raw(`,"removed":`)
	w.texts(b.Removed)
	w.raw(`,"updated":`)
	w.properties(b.Updated)
}

func (b NamespaceDropped) write(w *writer) {
	w.raw(`"id":`)
	w.uuid(b.ID)
	w.raw(`,"namespace":`)
	w.texts(b.Namespace)
}

func (b TablePurged) write(w *writer) {
	w.raw(`"bytes":`)
	w.integer(b.Bytes)
	w.raw(`,"drop":`)
	w.uuid(b.Drop)
	w.raw(`,"failed":`)
	w.integer(b.Failed)
	w.raw(`,"kept":`)
	w.integer(b.Kept)
	w.raw(`,"removed":`)
	w.integer(b.Removed)
	w.raw(`,"report":[`)
	for i, f := range b.Report {
		w.comma(i)
		w.raw(`{"location":`)
		w.text(f.Location)
		w.raw(`,"reason":`)
		w.text(f.Reason)
		w.raw(`}`)
	}
	w.raw(`],"table":`)
	w.uuid(b.Table)
}
