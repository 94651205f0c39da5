package metadata

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// Document is one version of a table's metadata: the bytes of its file and what
// commits need to know of them. It never changes and may be shared between
// goroutines.
type Document struct {
	bytes            []byte
	metadataLocation string
	top              object
	state            state
}

// Bytes returns the exact bytes of the file, inflated; after WithUUID with the
// UUID in them. They must not be modified.
func (d *Document) Bytes() []byte { return d.bytes }

// MetadataLocation is where the file is, or is to be written; gzipped when its
// name says so (IsCompressedName).
func (d *Document) MetadataLocation() string { return d.metadataLocation }

// UUID is the table's UUID, or the zero UUID when HasUUID is false.
func (d *Document) UUID() uuid.UUID { return d.state.uuid }

// HasUUID tells whether the table has a UUID. Files of format version 1 may lack
// it; such a document must be given one (WithUUID) before it takes a commit or is
// shown to a client (case 3).
func (d *Document) HasUUID() bool { return d.state.uuid != uuid.Nil }

// WithUUID returns the document with a UUID for a table that has none, also in
// its Bytes: the first commit writes it to a file, the one at MetadataLocation
// stays as it is. It returns d itself when the table has a UUID.
func (d *Document) WithUUID(id uuid.UUID) *Document {
	if d.HasUUID() {
		return d
	}
	w := writer{state: d.state, top: d.top}
	w.state.uuid = id
	w.top.set("table-uuid", rope{quote(id.String())})
	return w.document(d.metadataLocation)
}

// FormatVersion is the table's format version.
func (d *Document) FormatVersion() int { return d.state.formatVersion }

// Location is the table's base location as the file spells it.
func (d *Document) Location() string { return d.state.location }

// Property returns a table property and whether it is set.
func (d *Document) Property(key string) (string, bool) { return d.state.property(key) }

// Properties returns a copy of the table properties.
func (d *Document) Properties() map[string]string {
	properties := make(map[string]string, len(d.state.properties.items))
	for _, it := range d.state.properties.items {
		properties[it.of.key] = it.of.value
	}
	return properties
}

// CurrentSnapshotID returns the current snapshot's id, and false when the table
// has none, however the file spells that (absent, null or -1; case 6).
func (d *Document) CurrentSnapshotID() (int64, bool) {
	return d.state.current, d.state.current != noSnapshot
}

// LastUpdated is the file's last-updated-ms in UTC.
func (d *Document) LastUpdated() time.Time { return millis(d.state.lastUpdated) }

// MetadataFolder is where new metadata files go: the property
// write.metadata.path, or <location>/metadata. It has no trailing slash.
func (d *Document) MetadataFolder() string { return d.state.metadataFolder() }

// MetadataLog returns the earlier metadata files that this one names, oldest
// first.
func (d *Document) MetadataLog() []MetadataLogEntry {
	entries := make([]MetadataLogEntry, 0, len(d.state.metadataLog.items))
	for _, it := range d.state.metadataLog.items {
		entries = append(entries, MetadataLogEntry{it.of.location, millis(it.of.at)})
	}
	return entries
}

// ReferencedSnapshots returns the document's text with only those snapshots that
// a branch or tag points at, as a load with snapshots=refs answers it. All else,
// the snapshot log included, is there unchanged.
func (d *Document) ReferencedSnapshots() []byte {
	referenced := map[int64]bool{}
	for _, it := range d.state.refs.items {
		referenced[it.of.snapshot] = true
	}
	snapshots := d.state.snapshots
	if !snapshots.remove(func(s snapshot) bool { return !referenced[s.id] }) {
		return d.bytes
	}
	top := d.top
	top.set("snapshots", snapshots.render())
	return top.render().bytes()
}

func (s *state) metadataFolder() string {
	folder, _ := s.property(propertyMetadataPath)
	if folder = strings.TrimRight(folder, "/"); folder != "" {
		return folder
	}
	return strings.TrimRight(s.location, "/") + "/metadata"
}
