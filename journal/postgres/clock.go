package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// selectClock is the clock of the database: milliseconds of Unix, those that are over.
const selectClock = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// maxDrift is by how much of the time that passes two clocks may part: by 1/maxDrift.
const maxDrift = 1000

// Clock is the database's clock as this process knows it without asking: what it was told
// in round trips that were made anyway, and the time that has passed since. Where the
// machine is suspended that goes on (journal.Uptime); where all of a virtual machine is
// stopped the clock is late until the next answer. Safe for concurrent use.
type Clock struct {
	uptime func() time.Duration

	mu        sync.Mutex
	told      bool
	low, high time.Duration // what the database's clock is ahead of uptime, at least and at most
	at        time.Duration // of uptime, when that was so
	last      time.Time     // that was read
}

// Read implements recorder.Clock: the middle of what the database's clock can be now. It is
// off by no more than half of any round trip that has told of it, half a millisecond, and a
// thousandth of the time since it began. It never goes back: where the database's did, it stands.
func (c *Clock) Read() journal.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Unix(0, int64(c.uptime()+c.low+(c.high-c.low)/2)).UTC()
	if now.After(c.last) {
		c.last = now
	}
	return journal.At(c.last)
}

// take takes in that the database's clock showed ms at some moment after asked and before
// answered, of uptime. What does not agree with all that was told before is of a clock that
// was set, or of another server, and counts alone; unless it was asked for before that.
func (c *Clock) take(asked, answered time.Duration, ms int64) {
	shown := time.Duration(ms) * time.Millisecond
	meanwhile := (answered - asked) / maxDrift
	low, high := shown-answered-meanwhile, shown+time.Millisecond-asked+meanwhile
	c.mu.Lock()
	defer c.mu.Unlock()
	parted := max(answered-c.at, 0) / maxDrift
	bothLow, bothHigh := max(low, c.low-parted), min(high, c.high+parted)
	switch {
	case c.told && bothLow <= bothHigh:
		low, high = bothLow, bothHigh
	case c.told && asked < c.at:
		return // the next one tells which of the two is newer
	}
	c.told, c.low, c.high, c.at = true, low, high, max(answered, c.at)
}

// queue has a batch tell it, of statements that are sent after this call.
func (c *Clock) queue(batch *pgx.Batch) {
	asked := c.uptime()
	batch.Queue(selectClock).QueryRow(func(row pgx.Row) error {
		var ms int64
		err := row.Scan(&ms)
		if err == nil {
			c.take(asked, c.uptime(), ms)
		}
		return err
	})
}

// Clock is the database's clock, which has been asked at Open.
func (db *DB) Clock() *Clock { return &db.clock }

// AskClock asks the database for its clock, in whole milliseconds: for what is not done on
// an estimate. ErrBusy, ErrAway.
func (db *DB) AskClock(ctx context.Context) (time.Time, error) {
	var ms int64
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		asked := db.clock.uptime()
		err := conn.QueryRow(ctx, selectClock).Scan(&ms)
		if err == nil {
			db.clock.take(asked, db.clock.uptime(), ms)
		}
		return err
	})
	return time.UnixMilli(ms).UTC(), err
}
