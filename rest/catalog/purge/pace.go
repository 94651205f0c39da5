package purge

import (
	"context"
	"time"
)

// pace holds deletes to so many files a second; the zero rate is no limit.
type pace struct {
	rate int
	free time.Time // when the next file may go
}

// wait waits until so many files may go.
func (p *pace) wait(ctx context.Context, files int) error {
	if p.rate <= 0 {
		return ctx.Err()
	}
	now := time.Now()
	if pause := p.free.Sub(now); pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		now = p.free
	}
	p.free = now.Add(time.Duration(files) * time.Second / time.Duration(p.rate))
	return nil
}
