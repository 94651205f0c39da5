package journal

import (
	"testing"
	"time"
)

// TestClock reads a clock whose wall and uptime are set by hand.
func TestClock(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("odd", 5400))
	for what, c := range map[string]struct {
		up, wall, trusted time.Duration // since the start
	}{
		"on time":                 {time.Hour, time.Hour, time.Hour},
		"a little ahead":          {time.Hour, time.Hour + 10*time.Minute, time.Hour + 10*time.Minute},
		"far ahead":               {time.Hour, time.Hour + 11*time.Minute, time.Hour},
		"years ahead":             {time.Hour, 73 * 365 * 24 * time.Hour, time.Hour},
		"behind":                  {time.Hour, -time.Hour, -time.Hour},
		"after a night's suspend": {9 * time.Hour, 9 * time.Hour, 9 * time.Hour}, // uptime counts on meanwhile
	} {
		wall, up := start, 5*time.Hour
		clock := newClock(func() time.Time { return wall }, func() time.Duration { return up })
		wall, up = start.Add(c.wall), up+c.up
		got := clock.Read()
		if want := (Instant{Wall: start.Add(c.wall).UTC(), Trusted: start.Add(c.trusted).UTC()}); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}

// TestClockOfTheMachine: the real clock believes itself.
func TestClockOfTheMachine(t *testing.T) {
	before := time.Now()
	got := NewClock().Read()
	if got.Wall != got.Trusted || got.Wall.Before(before.Round(0)) || got.Wall.Location() != time.UTC {
		t.Errorf("read %v", got)
	}
	if a, b := uptime(), uptime(); a <= 0 || b < a {
		t.Errorf("uptime goes from %v to %v", a, b)
	}
}
