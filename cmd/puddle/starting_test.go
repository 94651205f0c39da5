package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/anchor"
)

// What may pass is waited for, for a while, by who is to serve.
func TestStartsArePatient(t *testing.T) {
	away, wrong := errors.New("503"), errors.New("403")
	passes := func(err error) bool { return errors.Is(err, away) }
	for name, test := range map[string]struct {
		purpose purpose
		errs    []error // of each try; the last one from then on
		want    error
		took    time.Duration
	}{
		"at once":       {serving, []error{nil}, nil, 0},
		"comes back":    {serving, []error{away, away, away, nil}, nil, 3 * time.Second},
		"stays away":    {serving, []error{away}, away, startTime},
		"is wrong":      {serving, []error{away, wrong}, wrong, time.Second},
		"for a command": {changing, []error{away, nil}, away, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNode(config.Config{}, zerolog.Nop(), test.purpose, journal.NewClock())
			begun, tries := time.Now(), 0
			err := n.patiently(t.Context(), "waiting for rain", passes, func() error {
				tries++
				return test.errs[min(tries, len(test.errs))-1]
			})
			if took := time.Since(begun); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || took != test.took {
				t.Errorf("%s: %v after %s", name, err, took)
			}
			if said := n.opening.ready(t.Context()).Error(); strings.Contains(said, "waiting for rain") != (test.took > 0) {
				t.Errorf("%s: it says %q", name, said)
			}
		})
	}
}

// A stop does not wait.
func TestPatienceEndsWithTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer stop()
		n := newNode(config.Config{}, zerolog.Nop(), serving, journal.NewClock())
		err := n.patiently(ctx, "waiting", func(error) bool { return true }, func() error { return errors.New("503") })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
	})
}

// What keeps a bucket from being used is exit code 4, and is not waited for.
func TestUnreached(t *testing.T) {
	location, err := store.ParseLocation("s3a://lake/wh")
	if err != nil {
		t.Fatal(err)
	}
	place := config.Place{URL: "s3a://lake/wh", Location: location}
	for want, why := range map[string]error{
		"make the bucket": store.ErrNoBucket, "do they have the rights of docs/object-stores.md": store.ErrDenied, "can it be reached from here": errors.New("no such host"),
	} {
		told := unreached("warehouse a", place, config.Service{}, fmt.Errorf("x: %w", why))
		if exitCode(told) != codeNoLook || !errors.Is(told, why) || storePasses(told) || !strings.Contains(told.Error(), want) ||
			!strings.HasPrefix(told.Error(), "warehouse a at s3a://lake/wh: the bucket lake cannot be used: x: ") {
			t.Errorf("%v: %v", why, told)
		}
	}
}

// A damaged file in a folder is no object store that is away: it is told of at once.
func TestADamagedIdentityIsNotWaitedFor(t *testing.T) {
	c := configured(t, t.TempDir(), "")
	started(t, c).stopped()
	identity := filepath.Join(c.Warehouses[0].Root.Folder(), anchor.IdentityKey)
	text, err := os.ReadFile(identity)
	if err == nil {
		err = os.WriteFile(identity, text[:len(text)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	waits := about{"waiting for an object store", make(chan line, 1)}
	go func() {
		select {
		case l := <-waits.lines:
			t.Errorf("it waits: %+v", l)
			stop()
		case <-ctx.Done():
		}
	}()
	_, err = startServer(ctx, c, zerolog.New(waits))
	stop()
	if exitCode(err) != codeRefused || !strings.Contains(err.Error(), "warehouse.json") {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}
