package catalog

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// bookingsAt are bookings at a time of the test's.
type bookingsAt struct {
	*testing.T
	bookings
	now time.Time
}

func (b *bookingsAt) ask(by journal.Actor, name string, paths ...string) (*booking, error) {
	one := booking{table: uuid.New(), by: by, name: name}
	for _, path := range paths {
		one.places = append(one.places, journal.Place{Path: path + "/"})
	}
	mine, other, err := b.bookings.ask(one, b.now, func([]journal.Place) bool { return false })
	if other != nil {
		err = fmt.Errorf("booked by %s", other.by)
	}
	return mine, err
}

func (b *bookingsAt) must(by journal.Actor, name string, paths ...string) *booking {
	b.Helper()
	mine, err := b.ask(by, name, paths...)
	if err != nil {
		b.Fatal(err)
	}
	return mine
}

// free tells whether nobody has booked a path.
func (b *bookingsAt) free(path string) bool {
	_, is := b.at(path+"/", func() time.Time { return b.now }, booker{})
	return !is
}

// What is booked is bounded, for one actor as well, and what has ended makes room.
func TestBookingsAreBounded(t *testing.T) {
	b := &bookingsAt{T: t, now: time.Unix(0, 0)}
	b.settle(b.must("a", "t", "//lake/t"), b.now.Add(time.Hour))
	fill := func(to int, by func(int) journal.Actor) {
		for i := len(b.held); i < to; i++ {
			id := uuid.New()
			b.held[id] = &booking{table: id, by: by(i), until: b.now.Add(time.Hour)}
		}
	}
	fill(maxOfActor, func(int) journal.Actor { return "a" })
	if _, err := b.ask("a", "more", "//lake/more"); err == nil {
		t.Error("one more is booked")
	}
	fill(maxBookings, func(i int) journal.Actor { return journal.Actor(fmt.Sprint(i)) })
	if _, err := b.ask("z", "more", "//lake/more"); err == nil {
		t.Error("one more of all is booked")
	}
	b.now = b.now.Add(2 * time.Hour)
	if b.must("a", "more", "//lake/more"); len(b.held) != 1 {
		t.Error(len(b.held))
	}
}

// Of several who ask at the same moment and get no credentials nothing is left, in
// whichever order they hear of it; what was booked before stays.
func TestBookingsWithoutCredentials(t *testing.T) {
	b := &bookingsAt{T: t, now: time.Unix(0, 0)}
	first, second := b.must("a", "t", "//lake/t"), b.must("a", "t", "//lake/t")
	if _, err := b.ask("b", "t", "//lake/t/x"); err == nil {
		t.Error("a place is given twice")
	}
	b.settle(first, time.Time{})
	b.settle(second, time.Time{})
	if !b.free("//lake/t") || len(b.held) != 0 {
		t.Error("it is booked")
	}
	b.settle(b.must("a", "t", "//lake/t"), b.now.Add(time.Hour))
	b.settle(b.must("a", "t", "//lake/t"), time.Time{})
	if b.free("//lake/t") {
		t.Error("what credentials reach is free")
	}
	b.now = b.now.Add(time.Hour)
	if !b.free("//lake/t") {
		t.Error("it is booked for longer than credentials live")
	}
}

// Who asks again and again for the same places has one booking, which ends with the
// newest credentials; what others were given meanwhile stays theirs.
func TestBookingsDoNotGrow(t *testing.T) {
	b := &bookingsAt{T: t, now: time.Unix(0, 0)}
	for range 50 {
		b.now = b.now.Add(time.Minute)
		b.settle(b.must("a", "t", "//lake/t", "//lake/data"), b.now.Add(time.Hour))
	}
	if len(b.held) != 1 {
		t.Errorf("%d are booked", len(b.held))
	}
	last := b.must("a", "t", "//lake/t")
	b.settle(last, b.now.Add(2*time.Hour))
	if b.now = b.now.Add(90 * time.Minute); !b.free("//lake/data") || b.free("//lake/t") {
		t.Error("places end with the credentials that reach them")
	}
	b.end(journal.Move{UUID: last.table})
	if b.settle(last, b.now.Add(time.Hour)); !b.free("//lake/t") || b.held[last.table] != nil {
		t.Error("a table that was made is booked")
	}
}

// A table that was made in a part of what its actor had booked under the same name before
// ends nothing of the rest, which credentials reach.
func TestMadeWithinWhatWasBooked(t *testing.T) {
	b := &bookingsAt{T: t, now: time.Unix(0, 0)}
	b.settle(b.must("a", "t", "//lake/t"), b.now.Add(time.Hour))
	part := b.must("a", "t", "//lake/t/part")
	b.settle(part, b.now.Add(time.Hour))
	b.end(journal.Move{UUID: part.table})
	if b.free("//lake/t/rest") {
		t.Error("what credentials reach is free")
	}
	whole := b.must("a", "t", "//lake")
	b.settle(whole, b.now.Add(time.Hour))
	b.end(journal.Move{UUID: whole.table})
	if !b.free("//lake/t/rest") || len(b.held) != 0 {
		t.Error("a table that was made is booked")
	}
}
