package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/catalog/purge"
	marks "puddle/rest/catalog/purge/mark"
)

// errSilent is of a database that does not answer at all.
var errSilent = errors.New("no answer came")

// Who polls says which journals have moved since it asked last, all of them now and then,
// and nothing while nobody can be asked.
func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := uuid.New(), uuid.New()
		heads := journal.Heads{a: {Head: journal.Position{Seq: 1}}, b: {Head: journal.Position{Seq: 1}}}
		var err error
		var woken []string
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			poll(ctx, func(ctx context.Context) (journal.Heads, error) {
				if err == errSilent {
					<-ctx.Done()
				}
				if err != nil {
					return nil, err
				}
				return journal.Heads{a: heads[a], b: heads[b]}, nil
			}, func(moved func(uuid.UUID) bool) {
				for name, id := range map[string]uuid.UUID{"a": a, "b": b} {
					if moved(id) {
						woken = append(woken, name)
					}
				}
				slices.Sort(woken)
			})
		}()
		want := func(after time.Duration, want string) {
			t.Helper()
			woken = nil
			time.Sleep(after)
			synctest.Wait()
			if got := strings.Join(woken, ""); got != want {
				t.Errorf("woken %q, want %q", got, want)
			}
		}
		want(pollTime, "ab")
		want(pollTime, "")
		heads[b] = journal.Chain{Head: journal.Position{Seq: 2}}
		want(pollTime, "b")
		err = errors.New("away")
		heads[a] = journal.Chain{Head: journal.Position{Seq: 2}}
		want(10*pollTime, "")
		err = nil
		want(pollTime, "a")
		err = errSilent
		want(pollTime, "")
		err = nil
		heads[b] = journal.Chain{Head: journal.Position{Seq: 3}}
		want(pollWait+pollTime, "b")
		want(wakeTime, "ab")
		stop()
		<-done
	})
}

// The turn of a database that has a bar refuses what that refuses, and nothing is left of
// it; a warehouse that gives nobody a place is not asked about.
func TestBarredTurns(t *testing.T) {
	ctx, lake, clock := t.Context(), uuid.New(), journal.NewClock()
	story := journaltest.NewStory(lake)
	id := journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}
	story.CreateNamespace(id.Namespace, nil)
	story.CreateTable(id)
	table := story.Objects[id.Key()].UUID
	story.Drop(id, true)
	drafts := slices.Clone(story.Drafts)
	db := recorder.NewMemory(clock)
	chain := journal.NewChain(lake, uuid.New(), 0)
	birth, _, err := chain.Next(drafts[0], clock.Read())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Journal().Append(ctx, birth); err != nil {
		t.Fatal(err)
	}
	if err := projections.CatchUp(ctx, db.Journal().Warehouse(lake), 0, db.Warehouse(lake)); err != nil {
		t.Fatal(err)
	}
	store, needed := memory.New(), true
	r, err := recorder.NewShared(ctx, barred{db, func(uuid.UUID) (purge.Bar, bool) {
		return purge.Bar{Own: store}, needed
	}}, recorder.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var drop journal.Event
	for _, d := range drafts[1:] {
		if drop, err = r.Record(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := marks.Write(ctx, store, marks.Mark{Table: table, Drop: drop.ID, BegunAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	story.Undrop(table, id)
	back := story.Drafts[len(story.Drafts)-1]
	var conflict *projections.Conflict
	if _, err := r.Record(ctx, back); !errors.As(err, &conflict) || conflict.Kind != projections.PurgeBegun {
		t.Errorf("it comes back: %v", err)
	}
	if p, asked, err := db.Warehouse(lake).Purge(ctx, table); err != nil || !asked || p.Drop != drop.ID {
		t.Errorf("purge %+v, %t, %v", p, asked, err)
	}
	needed = false
	if _, err := r.Record(ctx, back); err != nil {
		t.Errorf("where nobody is asked: %v", err)
	}
}

// One of two replicas follows the journal, what either records; the other says so, with
// what it sees in the warehouse. When the first is stopped the second takes its place, and
// begins where that one ended.
func TestReplicasTakeTurnsAtFollowing(t *testing.T) {
	url, dir := postgrestest.Shared(t).Open(t), t.TempDir()
	follows := make(chan string, 100)
	log := func(name string) zerolog.Logger {
		return zerolog.New(writerFunc(func(line []byte) {
			if strings.Contains(string(line), `"this replica follows the journal"`) {
				follows <- name
			}
		}))
	}
	one := startedWith(t, replica(t, dir, url, 1, ""), log("one"))
	if name := <-follows; name != "one" {
		t.Fatal(name)
	}
	two := startedWith(t, replica(t, dir, url, 2, ""), log("two"))
	two.make("", `{"namespace":["a"]}`)
	two.make("/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	for r, elsewhere := range map[*running]bool{one: false, two: true} {
		for seen := false; !seen; {
			page := r.page("/api/puddle/v1/status")
			seen = strings.Contains(page, `"anchor":{"seq":3,"behind":0`) && strings.Contains(page, `"sidecars":{"seq":3,"behind":0`)
			if strings.Count(page, `"elsewhere":true`) != map[bool]int{true: 4}[elsewhere] {
				t.Fatalf("it follows elsewhere: %t, status: %s", elsewhere, page)
			}
		}
	}
	one.stopped()
	if name := <-follows; name != "two" {
		t.Fatal(name)
	}
	before := asWritten(t, dir)
	two.commit("x")
	for now := before; now.Seq != before.Seq+1; now = asWritten(t, dir) {
	}
	two.stopped()
	if at := archivedAt(t, dir+"/w"); uint64(at) != before.Seq+1 {
		t.Errorf("archived to %d", at)
	}
}
