package recorder

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// What is in the journal is never said to be surely not there, however long ago
// it was recorded and in whatever order ids were minted.
func TestRecentNeverDeniesARecordedID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		began := time.UnixMilli(1_000_000)
		r := newRecent(began, rapid.IntRange(1, 8).Draw(t, "size"))
		recorded := make(map[uuid.UUID]bool)
		for _, ms := range rapid.SliceOfN(rapid.Int64Range(1, 40), 1, 40).Draw(t, "minted") {
			id := minted(began.UnixMilli() + ms)
			if rapid.IntRange(0, 9).Draw(t, "version") == 0 {
				id[6] = 0x4f
			}
			r.add(id)
			recorded[id] = true
		}
		for id := range recorded {
			if !r.mayHold(id) {
				t.Fatalf("%s is recorded", id)
			}
		}
		if early := minted(began.UnixMilli()); !r.mayHold(early) {
			t.Fatal("an id from before may be in the journal")
		}
		if fresh := minted(began.UnixMilli() + 41); r.mayHold(fresh) {
			t.Fatal("a fresh id is looked up")
		}
	})
}

func minted(ms int64) uuid.UUID {
	id := uuid.New()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = id[6]&0x0f | 0x70
	return id
}
