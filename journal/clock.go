package journal

import "time"

// maxAhead is how far the wall clock may run ahead of the time the machine has
// been up before it is no longer believed.
const maxAhead = 10 * time.Minute

// Instant is one reading of a Clock. Wall is the raw wall clock. Trusted is
// what an event's At may follow: Wall, or, when the wall clock jumped ahead,
// where it would stand without the jump.
type Instant struct {
	Wall    time.Time
	Trusted time.Time
}

// At is an Instant whose clock is believed.
func At(t time.Time) Instant { return Instant{Wall: t, Trusted: t} }

// Clock reads the wall clock and judges it by uptime: a clock that was set to
// 2099 by mistake must not date every later event 2099. Safe for concurrent use.
type Clock struct {
	start  time.Time
	booted time.Duration
	wall   func() time.Time
	uptime func() time.Duration
}

// NewClock starts judging from now on.
func NewClock() *Clock { return newClock(time.Now, uptime) }

func newClock(wall func() time.Time, uptime func() time.Duration) *Clock {
	return &Clock{start: wall().Round(0), booted: uptime(), wall: wall, uptime: uptime}
}

// Uptime counts since some moment of the past, evenly, and where the system tells
// through its suspension: what it says was so long ago, was. Safe for concurrent use.
func Uptime() time.Duration { return uptime() }

// Read reads the clock.
func (c *Clock) Read() Instant {
	now := c.wall().Round(0).UTC()
	expected := c.start.Add(c.uptime() - c.booted).UTC()
	if now.Sub(expected) > maxAhead {
		return Instant{Wall: now, Trusted: expected}
	}
	return At(now)
}
