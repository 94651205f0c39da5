package recover

import (
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// EventID is the id of an event that a recovery records: of the incarnation that
// start began, and of what it brings back. It is a UUIDv7 of the time of start, so
// that another run of the same recovery has the same ids, and the recorder answers
// with the event that is there.
func EventID(start journal.Event, what string) uuid.UUID {
	h := sha256.New()
	h.Write(start.Incarnation[:])
	h.Write([]byte(what))
	id := uuid.UUID(h.Sum(nil)[:16])
	ms := start.At.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = id[6]&0x0F | 0x70
	id[8] = id[8]&0x3F | 0x80
	return id
}

// What an event of a recovery brings back, for EventID.
func namespaceEvent(n journal.Namespace) string { return "namespace/" + n.Key() }

func objectEvent(o PlannedObject) string { return string(o.Kind) + "/" + o.UUID.String() }

func historyEvent(before int) string { return fmt.Sprintf("history/%d", before) }

const completedEvent = "completed"
