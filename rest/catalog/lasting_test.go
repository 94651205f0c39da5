package catalog

import (
	"testing"
	"time"
)

// Durations are told as they are configured.
func TestLasting(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"168h": 168 * time.Hour, "1h30m": 90 * time.Minute, "10m": 10 * time.Minute, "1h0m5s": time.Hour + 5*time.Second, "20s": 20 * time.Second, "0s": 0,
	} {
		if got := lasting(d); got != want {
			t.Errorf("%v is told as %s, want %s", d, got, want)
		}
	}
}
