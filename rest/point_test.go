package rest

import (
	"testing"

	"github.com/google/uuid"
)

// Every form of a point bounds events, and one that is none, or no place in this
// history, is refused with what is wrong.
func TestPointsBoundEvents(t *testing.T) {
	f := story(t)
	all := f.events("")
	fifth := all[len(all)-5]
	head, err := f.options.Warehouses[0].Journal.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"seq:5", fifth.ID, head.Incarnation.String() + ":5", fifth.At, "2026-09-24T12:00:09%2B02:00", "2026-09-24T12:00:09+02:00"} {
		got := f.events("until=" + s)
		if s == fifth.At && len(got) == 5 {
			continue
		}
		if s[0] != '2' && len(got) != 5 || len(got) == 0 || len(got) == len(all) {
			t.Errorf("until %s: %v", s, seqs(got))
		}
	}
	for s, want := range map[string]string{
		"yesterday":              `Query parameter "until" must be seq:N, a time such as 2026-09-24T10:00:00Z, INCARNATION:N or an event's id, not "yesterday"`,
		uuid.Nil.String():        `Query parameter "until": 00000000-0000-0000-0000-000000000000 is no event of this history`,
		uuid.Nil.String() + ":1": `Query parameter "until": 00000000-0000-0000-0000-000000000000:1 is not in this history: there, 1 is an event of incarnation ` + head.Incarnation.String(),
	} {
		if got := f.fails(f.do("GET", eventsPath+"?until="+s, ""), 400, "BadRequestException"); got != want {
			t.Errorf("%s: %s", s, got)
		}
	}
}
