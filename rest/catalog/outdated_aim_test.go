package catalog_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse/faulty"
	"puddle/projections"
	"puddle/rest/catalog"
)

// Another replica may bring the table back to one of the files while the others are being
// removed: it stays.
func TestNothingGoesThatAnotherReplicaMakesCurrent(t *testing.T) {
	p := fresh(t)
	all := p.trimmed(t, "t", "9", 4)
	other := p.another(t, p.ground.files)
	var once sync.Once
	c := p.over(t, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Delete {
			once.Do(func() {
				_, err := other.Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: all[2].MetadataLocation, AllowRewind: true, Force: true, Reason: "test"})
				must(t, err)
			})
		}
		return faulty.Fault{}
	})
	_, err := commitOver(t, c, cause, change(t, "t", "", set(previousVersions, "1")))
	must(t, err)
	if fileAt(t, p.ground, all[2].MetadataLocation) == nil {
		t.Error("the file that is current is gone")
	}
}

// An outdated file that cannot be removed is told, and those after it are removed.
func TestOutdatedFileThatStaysIsTold(t *testing.T) {
	p := fresh(t)
	all := p.trimmed(t, "t", "9", 4)
	denied := errors.New("denied")
	stuck := key(t, p.ground, all[1].MetadataLocation)
	o := p.over(t, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Delete && key == stuck {
			return faulty.Before(denied)
		}
		return faulty.Fault{}
	}).Options
	var told []string
	o.Left = func(_ context.Context, at string, err error) {
		if errors.Is(err, denied) {
			told = append(told, at)
		}
	}
	last, err := commitOver(t, catalog.New(o), cause, change(t, "t", "", set(previousVersions, "1")))
	must(t, err)
	p.hasOnly(t, all[1], all[4], last)
	if diff := cmp.Diff([]string{all[1].MetadataLocation}, told); diff != "" {
		t.Errorf("told of (-want +got):\n%s", diff)
	}
}

// Who makes a file current does not wait for files of other tables to be removed.
func TestSweepsOfOthersHoldNobodyUp(t *testing.T) {
	onHeldDeletes(t, func(t *testing.T, p *process, _ func()) {
		mine := p.trimmed(t, "mine", "9", 1)
		p.trimmed(t, "other", "1", 2)
		synctest.Wait()
		done := make(chan error, 2)
		go func() {
			_, err := p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("mine"), To: mine[0].MetadataLocation, AllowRewind: true, Force: true, Reason: "test"})
			done <- err
			if err = p.DropTable(ctx, cause, id("mine"), false); err == nil {
				_, err = p.RegisterTable(ctx, cause, id("again"), mine[1].MetadataLocation, false)
			}
			done <- err
		}()
		synctest.Wait()
		if len(done) < 2 {
			t.Error("it waits")
		}
		must(t, <-done)
		must(t, <-done)
	})
}

// A catalog without a clock goes by that of the machine.
func TestClockOfTheMachine(t *testing.T) {
	c := catalog.New(catalog.Options{ID: lake, Reader: projections.NewMemory().Warehouse(lake), Recorder: stuck{}})
	if c.Now == nil || c.Now().IsZero() {
		t.Error("it has no clock")
	}
}
