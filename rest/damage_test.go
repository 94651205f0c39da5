package rest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

// Case 155: damage is not told as something that passes, and its place is said.
func TestCase155_DamagedHistoryIsTold(t *testing.T) {
	damage := &journal.Damage{Warehouse: uuid.New(), Incarnation: uuid.New(), Seq: 3, Reason: "its checksum is wrong"}
	got := unreadable(fmt.Errorf("scan: %w", damage))
	equal(t, "status", got.status, 500)
	equal(t, "message", got.message, "The "+damage.Error())
	if got.headers["Retry-After"] != "" {
		t.Error("a client is asked to try again")
	}
	got = unreadable(errors.New("input/output error"))
	equal(t, "status", got.status, 503)
	equal(t, "message", got.message, "The history cannot be read at the moment")
}
