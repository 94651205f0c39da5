package journal

// The bodies that are nothing but moves.

func (b TableCreated) write(w *writer)      { w.moves(b.Moves[:]) }
func (b TableRegistered) write(w *writer)   { w.moves(b.Moves[:]) }
func (b TablesCommitted) write(w *writer)   { w.moves(b.Moves) }
func (b TableRenamed) write(w *writer)      { w.moves(b.Moves[:]) }
func (b TableUnregistered) write(w *writer) { w.moves(b.Moves[:]) }
func (b TableUndropped) write(w *writer)    { w.moves(b.Moves[:]) }
func (b ViewCreated) write(w *writer)       { w.moves(b.Moves[:]) }
func (b ViewRegistered) write(w *writer)    { w.moves(b.Moves[:]) }
func (b ViewReplaced) write(w *writer)      { w.moves(b.Moves[:]) }
func (b ViewRenamed) write(w *writer)       { w.moves(b.Moves[:]) }
func (b ViewDropped) write(w *writer)       { w.moves(b.Moves[:]) }
func (b ViewUndropped) write(w *writer)     { w.moves(b.Moves[:]) }

func (b TableRepointed) write(w *writer) { w.repoint(b.Moves, b.Reason) }
func (b ViewRepointed) write(w *writer)  { w.repoint(b.Moves, b.Reason) }

func (b TableDropped) write(w *writer) {
	w.moves(b.Moves[:])
	if b.Purge {
		w.raw(`,"purge":true`)
		return
	}
	w.raw(`,"purge":false`)
}

func (w *writer) repoint(moves [1]Move, reason string) {
	w.moves(moves[:])
	w.raw(`,"reason":`)
	w.text(reason)
}

func (w *writer) moves(all []Move) {
	w.raw(`"moves":[`)
	for i := range all {
		w.comma(i)
		w.move(&all[i])
	}
	w.raw(`]`)
}

func (w *writer) move(m *Move) {
	w.raw(`{`)
	if m.From != nil {
		w.raw(`"from":{"identifier":`)
		w.identifier(m.From.Identifier)
		w.raw(`,"pointer":`)
		w.pointer(&m.From.Pointer)
		w.raw(`},`)
	}
	w.raw(`"kind":`)
	w.text(string(m.Kind))
	if m.SnapshotID != nil {
		w.raw(`,"snapshot-id":`)
		w.integer(*m.SnapshotID)
	}
	if m.To != nil {
		w.raw(`,"to":`)
		w.to(m.To)
	}
	if len(m.Updates) > 0 {
		w.raw(`,"updates":`)
		w.texts(m.Updates)
	}
	w.raw(`,"uuid":`)
	w.uuid(m.UUID)
	w.raw(`}`)
}

func (w *writer) to(t *To) {
	w.raw(`{"identifier":`)
	w.identifier(t.Identifier)
	w.raw(`,"location":`)
	w.text(t.Location)
	w.raw(`,"places":[`)
	for i, p := range t.Places {
		w.comma(i)
		w.raw(`{"path":`)
		w.text(p.Path)
		w.raw(`,"role":`)
		w.text(p.Role)
		w.raw(`}`)
	}
	w.raw(`],"pointer":`)
	w.pointer(&t.Pointer)
	w.raw(`}`)
}

func (w *writer) identifier(id Identifier) {
	w.raw(`{"name":`)
	w.text(id.Name)
	w.raw(`,"namespace":`)
	w.texts(id.Namespace)
	w.raw(`}`)
}

func (w *writer) pointer(p *Pointer) {
	w.raw(`{"document-sha256":`)
	w.digest(p.DocumentSHA256)
	w.raw(`,"encoding":`)
	w.text(string(p.Encoding))
	w.raw(`,"metadata-location":`)
	w.text(p.MetadataLocation)
	w.raw(`,"sha256":`)
	w.digest(p.SHA256)
	w.raw(`,"size":`)
	w.integer(p.Size)
	w.raw(`}`)
}
