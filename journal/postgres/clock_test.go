package postgres_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/postgres"
)

// told is a round trip that told of the database's clock.
type told struct{ asked, took time.Duration }

// The estimate is off by no more than half of any round trip since the database's clock was
// set last, half a millisecond and a thousandth of the time since it began, whatever part of a round
// trip was which way; and it never goes back, wherever that clock is set.
func TestLawClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		up, ahead := time.Hour, time.Duration(rapid.Int64Range(1e18, 2e18).Draw(t, "ahead"))
		drift := rapid.Int64Range(-900, 900).Draw(t, "drift in millionths")
		since := up // the database's clock drifts
		database := func() time.Time { return time.Unix(0, int64(up+ahead+(up-since)/1_000_000*time.Duration(drift))) }
		clock := postgres.NewClock(func() time.Duration { return up })
		var trips []told
		var last time.Time
		span := func(what string, most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, what))
		}
		for range rapid.IntRange(1, 30).Draw(t, "round trips") {
			up += span("pause", 10*time.Minute)
			if rapid.IntRange(0, 5).Draw(t, "set") == 0 {
				by := rapid.SampledFrom([]time.Duration{-30 * time.Hour, -2 * time.Hour, 2 * time.Hour, 30 * time.Hour}).Draw(t, "by")
				ahead, trips = ahead+by, nil
			}
			asked := up
			up += span("there", 20*time.Second)
			ms := database().UnixMilli()
			up += span("back", 20*time.Second)
			postgres.Tell(clock, asked, up, ms)
			trips = append(trips, told{asked, up - asked})
			up += span("later", time.Minute)
			off := time.Hour
			for _, trip := range trips {
				off = min(off, trip.took/2+time.Millisecond/2+(up-trip.asked)/1000+time.Microsecond)
			}
			now, want := clock.Read().Trusted, database()
			if want.Before(last) {
				want = last // until then it stands
			}
			if got := now.Sub(want).Abs(); got > off {
				t.Fatalf("off by %s, want no more than %s", got, off)
			}
			if now.Before(last) {
				t.Fatalf("back from %s to %s", last, now)
			}
			last = now
		}
	})
}

// An answer that was under way while a newer one came says nothing of a clock that was set
// meanwhile.
func TestClockLateAnswers(t *testing.T) {
	up := time.Minute
	clock := postgres.NewClock(func() time.Duration { return up })
	const before, after = 2_000_000_000_000, 1_900_000_000_000
	postgres.Tell(clock, 10*time.Second, 10*time.Second, before)
	postgres.Tell(clock, 30*time.Second, 30*time.Second, after)
	postgres.Tell(clock, 20*time.Second, 40*time.Second, before+15_000)
	if got := clock.Read().Trusted; got.Sub(time.UnixMilli(after+30_000)).Abs() > time.Millisecond {
		t.Errorf("it is %s", got)
	}
}

// Whoever opens a database knows its clock, and turns and looks at the heads keep it.
func TestClockOfTheDatabase(t *testing.T) {
	url := postgrestest.Open(t)
	for what, look := range map[string]func(*postgres.DB) error{
		"opened": nil,
		"a turn": func(db *postgres.DB) error {
			tx, err := db.Begin(t.Context(), lake)
			if err == nil {
				tx.Rollback(t.Context())
			}
			return err
		},
		"the heads": func(db *postgres.DB) error {
			_, err := db.Heads(t.Context())
			return err
		},
	} {
		db := open(t, url)
		if look != nil {
			now := journal.Uptime()
			postgres.Tell(db.Clock(), now, now, time.Now().Add(-time.Hour).UnixMilli()) // it was set
			if err := look(db); err != nil {
				t.Fatal(err)
			}
		}
		is := db.Clock().Read()
		asked, err := db.AskClock(t.Context())
		if off := asked.Sub(is.Wall).Abs(); err != nil || is.Wall != is.Trusted || off > time.Minute {
			t.Errorf("%s: %v, the database's is %s: %v", what, is, asked, err)
		}
	}
}
