package rest

import (
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// The JSON that scripts read (interface §4). Its names never change and are not
// those of the journal's records, which have a life of their own.

// stamp is a time in UTC with milliseconds.
type stamp time.Time

// MarshalText writes RFC 3339.
func (s stamp) MarshalText() ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

type eventBody struct {
	Warehouse    string         `json:"warehouse"`
	Incarnation  uuid.UUID      `json:"incarnation"`
	Seq          journal.Seq    `json:"seq"`
	ID           uuid.UUID      `json:"id"`
	At           stamp          `json:"at"`
	Kind         journal.Kind   `json:"kind"`
	Actor        journal.Actor  `json:"actor"`
	RequestID    string         `json:"request-id,omitempty"`
	Engine       string         `json:"engine,omitempty"`
	Origin       journal.Origin `json:"origin"`
	Hash         journal.Digest `json:"hash"`
	Prev         journal.Digest `json:"prev"`
	ClockSuspect bool           `json:"clock-suspect,omitzero"`

	Namespace  journal.Namespace `json:"namespace,omitempty"`  // of the namespace kinds
	Properties map[string]string `json:"properties,omitempty"` // set by a namespace's creation or update
	Removed    []string          `json:"removed,omitempty"`    // by a namespace's update
	Purge      bool              `json:"purge,omitzero"`       // of a drop
	Reason     string            `json:"reason,omitempty"`     // of an incarnation's start or a repoint
	Purged     *purgedBody       `json:"purged,omitempty"`     // of the end of a purge
	Recovered  *recoveredBody    `json:"recovered,omitempty"`  // of the end of a recovery
	Imported   []stepBody        `json:"imported,omitempty"`   // old moves whose events are lost

	Moves []moveBody `json:"moves"`
}

// recoveredBody is what a recovery brought back.
type recoveredBody struct {
	From       string `json:"from"`
	Namespaces int64  `json:"namespaces"`
	Objects    int64  `json:"objects"`
	Failed     int64  `json:"failed"`
}

// purgedBody is what a purge removed and what it left.
type purgedBody struct {
	Table   uuid.UUID     `json:"table"`
	Drop    uuid.UUID     `json:"drop"` // the event that asked for it
	Removed int64         `json:"removed"`
	Bytes   int64         `json:"bytes"` // removed
	Kept    int64         `json:"kept"`
	Failed  int64         `json:"failed"`
	Report  []findingBody `json:"report"`
}

type findingBody struct {
	Location string `json:"location"`
	Reason   string `json:"reason"`
}

type moveBody struct {
	Kind       journal.ObjectKind `json:"kind"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	From       *fromBody          `json:"from,omitempty"`
	To         *toBody            `json:"to,omitempty"`
	SnapshotID *int64             `json:"snapshot-id,omitempty"`
	Updates    []string           `json:"updates,omitempty"`
}

type fromBody struct {
	Identifier       journal.Identifier `json:"identifier"`
	MetadataLocation string             `json:"metadata-location"`
}

type toBody struct {
	Identifier       journal.Identifier `json:"identifier"`
	MetadataLocation string             `json:"metadata-location"`
	SHA256           journal.Digest     `json:"sha256"`
	Size             int64              `json:"size"`
	Present          *bool              `json:"present,omitempty"` // only when asked for
}

func eventOf(warehouse string, e journal.Event) eventBody {
	b := eventBody{
		Warehouse: warehouse, Incarnation: e.Incarnation, Seq: e.Seq, ID: e.ID, At: stamp(e.At), Kind: e.Kind(),
		Actor: e.Cause.Actor, RequestID: e.Cause.RequestID, Engine: e.Cause.Engine, Origin: e.Cause.Origin,
		Hash: e.Hash, Prev: e.Prev, ClockSuspect: e.ClockSuspect(),
	}
	switch body := e.Body.(type) {
	case journal.IncarnationStarted:
		b.Reason = body.Reason
	case journal.NamespaceCreated:
		b.Namespace, b.Properties = body.Namespace, body.Properties
	case journal.NamespaceUpdated:
		b.Namespace, b.Properties, b.Removed = body.Namespace, body.Updated, body.Removed
	case journal.NamespaceDropped:
		b.Namespace = body.Namespace
	case journal.TableDropped:
		b.Purge = body.Purge
	case journal.TableRepointed:
		b.Reason = body.Reason
	case journal.ViewRepointed:
		b.Reason = body.Reason
	case journal.TablePurged:
		b.Purged = purgedOf(body)
	case journal.RecoveryCompleted:
		b.Recovered = &recoveredBody{From: body.From, Namespaces: body.Namespaces, Objects: body.Objects, Failed: body.Failed}
	}
	for _, m := range e.Moves() {
		b.Moves = append(b.Moves, moveOf(m))
	}
	return b
}

func purgedOf(b journal.TablePurged) *purgedBody {
	report := make([]findingBody, len(b.Report))
	for i, f := range b.Report {
		report[i] = findingBody(f)
	}
	return &purgedBody{
		Table: b.Table, Drop: b.Drop, Removed: b.Removed, Bytes: b.Bytes, Kept: b.Kept, Failed: b.Failed, Report: report,
	}
}

func moveOf(m journal.Move) moveBody {
	return moveBody{
		Kind: m.Kind, UUID: m.UUID, Identifier: m.Identifier(),
		From: fromOf(m), To: toOf(m), SnapshotID: m.SnapshotID, Updates: m.Updates,
	}
}

func fromOf(m journal.Move) *fromBody {
	if m.From == nil {
		return nil
	}
	return &fromBody{m.From.Identifier, m.From.Pointer.MetadataLocation}
}

func toOf(m journal.Move) *toBody {
	if m.To == nil {
		return nil
	}
	p := m.To.Pointer
	return &toBody{Identifier: m.To.Identifier, MetadataLocation: p.MetadataLocation, SHA256: p.SHA256, Size: p.Size}
}
