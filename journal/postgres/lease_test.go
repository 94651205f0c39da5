package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"puddle/internal/postgrestest"
	"puddle/journal/postgres"
)

// leases are n leases of one name, each of a process of its own, and the clock that they have.
func leases(t *testing.T, url string, n int, term time.Duration) (all []*postgres.Lease, clock *atomic.Int64) {
	t.Helper()
	clock = &atomic.Int64{}
	for range n {
		all = append(all, open(t, url).Lease(lake, "followers", postgres.LeaseOptions{
			Term: term, Now: func() time.Duration { return time.Duration(clock.Load()) },
		}))
	}
	return all, clock
}

// TestLease: one holds it, until its term is over by the database's clock or it gives it
// back; by its own it gives it up before.
func TestLease(t *testing.T) {
	ctx := t.Context()
	url := postgrestest.Open(t)
	both, clock := leases(t, url, 2, time.Hour)
	a, b := both[0], both[1]
	wantError(t, "before", a.Held(), postgres.ErrLeaseLost)
	if !postgres.Gain(ctx, a) || postgres.Gain(ctx, b) {
		t.Fatal("not the first one has it")
	}
	if other := open(t, url).Lease(pond, "followers", postgres.LeaseOptions{}); !postgres.Gain(ctx, other) {
		t.Error("that of another warehouse is taken")
	}
	wantError(t, "held", a.Held(), nil)
	wantError(t, "not held", b.Held(), postgres.ErrLeaseLost)

	clock.Store(int64(53 * time.Minute))
	wantError(t, "in time", a.Held(), nil)
	clock.Store(int64(54 * time.Minute))
	wantError(t, "paused for too long", a.Held(), postgres.ErrLeaseLost)
	if held, err := postgres.Renew(ctx, a); !held || err != nil || a.Held() != nil {
		t.Errorf("nobody else had it: %v, %v", err, a.Held())
	}

	exec(t, url, "UPDATE leases SET until = 1 WHERE warehouse = '"+lake.String()+"'")
	if held, err := postgres.Renew(ctx, a); held || err != nil {
		t.Errorf("renewed after the term, when another may have had it: %v", err)
	}
	wantError(t, "over", a.Held(), postgres.ErrLeaseLost)
	if !postgres.Gain(ctx, b) || postgres.Gain(ctx, a) {
		t.Error("whose term is over has it")
	}
	postgres.Release(ctx, a) // it is not its own
	if postgres.Gain(ctx, a) {
		t.Error("gained from who holds it")
	}
	postgres.Release(ctx, b)
	wantError(t, "given back", b.Held(), postgres.ErrLeaseLost)
	if !postgres.Gain(ctx, a) {
		t.Error("what was given back is taken")
	}
}

// keeping keeps a lease for the length of a test: each context of a hold comes by.
func keeping(t *testing.T, l *postgres.Lease) (holds <-chan context.Context, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	all := make(chan context.Context, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Keep(ctx, func(ctx context.Context) {
			all <- ctx
			<-ctx.Done()
		})
	}()
	end = func() {
		cancel()
		for {
			select {
			case <-all:
			case <-ended:
				return
			}
		}
	}
	t.Cleanup(end)
	return all, end
}

const shortTerm = time.Second

// TestKeepGivesBack: who ends leaves the lease to the next at once.
func TestKeepGivesBack(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	a := open(t, url).Lease(lake, "followers", postgres.LeaseOptions{Term: time.Hour})
	b := open(t, url).Lease(lake, "followers", postgres.LeaseOptions{Term: shortTerm})
	first, end := keeping(t, a)
	<-first
	second, _ := keeping(t, b)
	wantError(t, "the second", b.Held(), postgres.ErrLeaseLost)
	end()
	<-second
	wantError(t, "who ended", a.Held(), postgres.ErrLeaseLost)
}

// TestKeepLoses: what was taken away, or cannot be renewed, ends the hold; it is gained
// again when it can be.
func TestKeepLoses(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	direct := server.Open(t)
	p, url := through(t, server, direct)
	l := open(t, url).Lease(lake, "followers", postgres.LeaseOptions{Term: shortTerm})
	holds, _ := keeping(t, l)
	held := <-holds
	exec(t, direct, "UPDATE leases SET holder = gen_random_uuid(), until = until + 1000000000")
	<-held.Done()
	wantError(t, "taken away", l.Held(), postgres.ErrLeaseLost)
	exec(t, direct, "DELETE FROM leases")
	held = <-holds
	p.end()
	<-held.Done()
	wantError(t, "unreachable", l.Held(), postgres.ErrLeaseLost)
	p.Admit(true)
	held = <-holds
	p.Hold()
	<-held.Done()
	wantError(t, "nobody answers", l.Held(), postgres.ErrLeaseLost)
	p.Release()
	<-holds
}

// TestKeepOne: of many that hold it for a while each has its turns, and never two at once.
func TestKeepOne(t *testing.T) {
	t.Parallel()
	const keepers, turns = 3, 4
	url := postgrestest.Open(t)
	var all []*postgres.Lease
	for range keepers {
		all = append(all, open(t, url).Lease(lake, "followers", postgres.LeaseOptions{Term: shortTerm}))
	}
	var wait sync.WaitGroup
	for _, l := range all {
		wait.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			n := 0
			l.Keep(ctx, func(context.Context) {
				if n++; n == turns {
					cancel()
				}
				for _, other := range all {
					// It was held at the same time as this one, if this one still is.
					if other != l && other.Held() == nil && l.Held() == nil {
						t.Error("two hold the lease")
					}
				}
			})
			wantError(t, "after", l.Held(), postgres.ErrLeaseLost)
		})
	}
	wait.Wait()
}

// TestLeaseBesideWhoIsAlone: while a recovery or a compaction is alone nobody gains a lease,
// and who holds one, as a server does that has lost its session beside the pool, loses it
// with the next renewal.
func TestLeaseBesideWhoIsAlone(t *testing.T) {
	ctx := t.Context()
	url := postgrestest.Open(t)
	both, _ := leases(t, url, 2, time.Hour)
	a, b := both[0], both[1]
	if !postgres.Gain(ctx, a) {
		t.Fatal("nobody has it")
	}
	if held, err := postgres.Renew(ctx, a); !held || err != nil {
		t.Fatalf("renewed: %t, %v", held, err)
	}
	leave, err := open(t, url).Alone(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if held, err := postgres.Renew(ctx, a); held || err != nil {
		t.Errorf("renewed beside who is alone: %t, %v", held, err)
	}
	wantError(t, "beside who is alone", a.Held(), postgres.ErrLeaseLost)
	exec(t, url, "DELETE FROM leases")
	if postgres.Gain(ctx, b) {
		t.Error("gained beside who is alone")
	}
	leave()
	if !postgres.Gain(ctx, b) {
		t.Error("nobody is alone, and nobody has it")
	}
}

// TestEndLeases: what a copy of the database brought along ends for who is alone.
func TestEndLeases(t *testing.T) {
	ctx := t.Context()
	url := postgrestest.Open(t)
	both, _ := leases(t, url, 2, time.Hour)
	if !postgres.Gain(ctx, both[0]) || postgres.Gain(ctx, both[1]) {
		t.Fatal("not the first one has it")
	}
	wantError(t, "ended", open(t, url).EndLeases(ctx), nil)
	if !postgres.Gain(ctx, both[1]) {
		t.Error("it is held")
	}
	if held, err := postgres.Renew(ctx, both[0]); held || err != nil {
		t.Errorf("renewed when another has it: %v", err)
	}
}

// TestLeaseOfNobody: a row that nobody renews is taken over after a term by the clock of
// who waits, however far its end lies by the database's; one that is renewed never is, also
// when the database's clock was set back.
func TestLeaseOfNobody(t *testing.T) {
	ctx := t.Context()
	url := postgrestest.Open(t)
	const term = time.Minute
	both, clock := leases(t, url, 2, term)
	holder, waits := both[0], both[1]
	if !postgres.Gain(ctx, holder) {
		t.Fatal("nobody has it")
	}
	exec(t, url, "UPDATE leases SET until = until + 1000000000")
	gains := func(passed time.Duration, want bool) {
		t.Helper()
		clock.Add(int64(passed))
		if got := postgres.Gain(ctx, waits); got != want {
			t.Fatalf("gained %t, want %t", got, want)
		}
	}
	gains(2*term, false) // it sees it first
	for range 3 {
		gains(term, false)
		exec(t, url, "UPDATE leases SET until = until - 1") // it is renewed
		gains(term, false)
	}
	gains(term+term/10, false)
	wantError(t, "by then", holder.Held(), postgres.ErrLeaseLost)
	gains(time.Nanosecond, true)
	if held, err := postgres.Renew(ctx, holder); held || err != nil {
		t.Errorf("renewed when another has it: %v", err)
	}
	wantError(t, "taken over", waits.Held(), nil)
	exec(t, url, "UPDATE leases SET holder = gen_random_uuid()")
	gains(2*term, false)
	exec(t, url, "DELETE FROM leases")
	gains(2*term, true)
}

// TestKeepTakesOver: who waits for a lease that a copy of the database has brought along
// gains it after a term.
func TestKeepTakesOver(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	waits := open(t, url).Lease(lake, "followers", postgres.LeaseOptions{Term: shortTerm})
	exec(t, url, "INSERT INTO leases VALUES ('"+lake.String()+"', 'followers', gen_random_uuid(), 9000000000000000)")
	holds, _ := keeping(t, waits)
	<-holds
}
