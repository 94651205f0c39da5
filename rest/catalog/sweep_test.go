package catalog_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse/faulty"
	"puddle/rest/catalog"
)

// onHeldDeletes runs a test in a bubble, over a catalog on a bucket whose deletes wait until
// they may go on.
func onHeldDeletes(t *testing.T, test func(t *testing.T, p *process, goOn func())) {
	t.Helper()
	fresh(t).table(t, "t", "") // what packages make once must not be made in a bubble
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		p, _ := fresh(t).onBucket(t, func(op faulty.Op, _ string) faulty.Fault {
			if op == faulty.Delete {
				<-gate
			}
			return faulty.Fault{}
		})
		goOn := sync.OnceFunc(func() { close(gate) })
		defer goOn()
		test(t, p, goOn)
		goOn()
		p.Close()
		audit(t, p.ground)
	})
}

// Case 127 in a bucket: a commit does not wait for what it lets fall out of the log to be
// removed, and neither do those after it.
func TestCase127_OutdatedGoBehindTheAnswer(t *testing.T) {
	onHeldDeletes(t, func(t *testing.T, p *process, goOn func()) {
		all := p.trimmed(t, "t", "1", 5)
		p.hasOnly(t, all...)
		goOn()
		synctest.Wait()
		p.hasOnly(t, all[4], all[5])
	})
}

// Whoever makes an older file current waits for those that are being removed, so that it
// is there or is told to be gone.
func TestNothingGoesThatIsMadeCurrent(t *testing.T) {
	for what, do := range map[string]func(p *process, at string) error{
		"repoint": func(p *process, at string) error {
			_, err := p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: at, AllowRewind: true, Force: true, Reason: "test"})
			return err
		},
		"register": func(p *process, at string) error {
			if err := p.DropTable(ctx, cause, id("t"), false); err != nil {
				return err
			}
			_, err := p.RegisterTable(ctx, cause, id("u"), at, false)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			onHeldDeletes(t, func(t *testing.T, p *process, goOn func()) {
				all := p.trimmed(t, "t", "1", 2)
				synctest.Wait() // the delete is on its way
				done := make(chan error, 1)
				go func() { done <- do(p, all[0].MetadataLocation) }()
				synctest.Wait()
				if len(done) > 0 {
					t.Error("it does not wait")
				}
				goOn()
				refused(t, <-done, catalog.FileMissing, all[0].MetadataLocation)
			})
		})
	}
}

// When the store is slow and many tables let files fall, some wait for a later commit.
func TestManySweepsWaitForALaterCommit(t *testing.T) {
	onHeldDeletes(t, func(t *testing.T, p *process, goOn func()) {
		const atOnce = 16
		var kept []catalog.Table
		for i := range atOnce {
			kept = append(kept, p.trimmed(t, fmt.Sprint("other", i), "1", 2)[1:]...)
		}
		all := p.trimmed(t, "t", "1", 3)
		goOn()
		synctest.Wait()
		p.hasOnly(t, append(kept, all...)...)
		last, err := p.commit(t, "t", "", set("k", "last"))
		must(t, err)
		synctest.Wait()
		p.hasOnly(t, append(kept, all[3], last)...)
	})
}

// A catalog that is closed has nothing going on, and leaves what it would remove then.
func TestClosedCatalogSweepsNoMore(t *testing.T) {
	p, _ := fresh(t).onBucket(t, nil)
	p.Close()
	all := p.trimmed(t, "t", "1", 3)
	if diff := cmp.Diff(keysOf(t, p.ground, all...), files(t, p.ground)); diff != "" {
		t.Errorf("files: %s", diff)
	}
}
