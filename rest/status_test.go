package rest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// statusOf is the answer of the route status, as scripts read it.
type statusOf struct {
	Ready  bool
	Writer struct {
		State, Reason string
		Waiting       int
	}
	Room struct {
		Files []struct {
			Name        string
			Bytes, Free int64
		}
		Disks []struct {
			Name        string
			Free, Least int64
			Low         bool
			Error       string
		}
	}
	Warehouses []struct {
		Warehouse   string
		Incarnation uuid.UUID
		Head        struct {
			Seq  uint64
			Hash string
		}
		Tables struct{ Seq, Behind uint64 }
		Anchor *struct {
			Seq, Behind uint64
			Failed      int64
			Lag         float64 `json:"lag-seconds"`
			Error       string
		}
		Sidecars *struct {
			Seq, Behind uint64
			Age, Failed int64
			Error       string
		}
		Proofs []struct {
			Level int
			At    string
			Age   int64
		}
		Purges struct {
			Pending, Due *int64
			Closed       int64
			Oldest       string
			Active       bool
			Current      map[string]any
			Files        map[string]int64
			LastError    map[string]string `json:"last-error"`
		}
	}
	Warnings []struct {
		Warehouse, Message string
		Critical           bool
	}
}

func (f *fixture) status() (s statusOf) {
	f.t.Helper()
	f.must(200, f.do("GET", "/api/puddle/v1/status", "")).into(f.t, &s)
	return s
}

// Pending purges are counted with those that are due, the oldest first; what the
// job does stands beside them.
func TestStatus(t *testing.T) {
	f := serve(t, func(o *Options) {
		for i := range o.Warehouses {
			o.Warehouses[i].Catalog.PurgeGrace = time.Hour
		}
	}, "default", "other")
	f.ns("n")
	for _, drop := range []string{"?purgeRequested=true", "?purgeRequested=true", ""} {
		f.table("n", "t")
		f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t"+drop, ""))
		f.clock.forward(40 * time.Minute)
	}
	s := f.status()
	head, err := f.options.Warehouses[0].Journal.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := s.Warehouses[0]
	if !s.Ready || len(s.Warnings) != 0 || len(s.Warehouses) != 2 || w.Warehouse != "default" || s.Warehouses[1].Warehouse != "other" {
		t.Errorf("status: %+v", s)
	}
	if w.Incarnation != head.Incarnation || w.Head.Seq != uint64(head.Seq) || w.Head.Hash != head.Hash.String() || w.Tables.Seq != w.Head.Seq || w.Tables.Behind != 0 {
		t.Errorf("head and tables: %+v", w)
	}
	if p := w.Purges; *p.Pending != 2 || *p.Due != 2 || !strings.HasPrefix(p.Oldest, "2026-09-24T10:00:") || p.Active || p.Current != nil {
		t.Errorf("purges: %+v", p)
	}
	if p := s.Warehouses[1].Purges; *p.Pending != 0 || p.Oldest != "" {
		t.Errorf("purges of the other: %+v", p)
	}
	f.fails(f.do("GET", "/api/puddle/v1/status?x=y", ""), 400, "BadRequestException")
}

// What the job failed to do is a warning, and so are tables that are not ready.
func TestStatusWarns(t *testing.T) {
	table := journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}
	purging := Purging{
		Current: &PurgingTable{UUID: uuid.New(), Drop: uuid.New(), Identifier: table, Began: epoch, Files: PurgeCounts{Removed: 1, Failed: 1}},
		Tables:  2, Files: PurgeCounts{Removed: 5, Kept: 1, Failed: 2, Bytes: 99}, Err: errors.New("the disk is on fire"), ErrAt: epoch,
	}
	broken := errors.New("catching up with the journal")
	f := serve(t, func(o *Options) {
		o.Metrics = NewMetrics("x")
		o.Ready = func(context.Context) error { return broken }
		o.Warehouses[0].Purging = func() Purging { return purging }
		o.Warehouses[0].Cursor = func(context.Context) (journal.Position, error) { return journal.Position{}, nil }
	})
	s := f.status()
	var got []string
	for _, w := range s.Warnings {
		got = append(got, w.Warehouse+"|"+w.Message)
	}
	want := []string{
		"|not ready: catching up with the journal", "default|purging cannot go on: the disk is on fire",
		"default|3 files of dropped tables could not be removed: puddle log --kind table-purged --json",
	}
	if diff := cmp.Diff(want, got); diff != "" || s.Ready {
		t.Errorf("warnings: %s", diff)
	}
	w := s.Warehouses[0]
	if w.Tables.Behind != w.Head.Seq || w.Purges.Pending != nil || !w.Purges.Active || w.Purges.Closed != 2 || w.Purges.Current["failed"] != 1.0 ||
		w.Purges.Current["began"] != "2026-09-24T10:00:00.000Z" || w.Purges.LastError["message"] != "the disk is on fire" {
		t.Errorf("status: %+v", w)
	}
	if diff := cmp.Diff(map[string]int64{"removed": 5, "kept": 1, "failed": 2, "bytes": 99}, w.Purges.Files); diff != "" {
		t.Errorf("files: %s", diff)
	}
	metrics := string(f.must(200, f.do("GET", "/metrics", "")).body)
	for _, line := range []string{
		`puddle_purges_pending{warehouse="default"} 0`,
		`puddle_purges_due{warehouse="default"} 0`,
		`puddle_purges_total{warehouse="default"} 2`,
		`puddle_purge_stopped{warehouse="default"} 1`,
		`puddle_purge_files_total{result="removed",warehouse="default"} 5`,
		`puddle_purge_files_total{result="kept",warehouse="default"} 1`,
		`puddle_purge_files_total{result="failed",warehouse="default"} 2`,
		`puddle_purge_bytes_total{warehouse="default"} 99`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("%s is missing from\n%s", line, metrics)
		}
	}
}

// What follows a journal and does not get on is told by the age of what it lacks, also
// where nothing fails. So is what was found out while serving.
func TestStatusWarnsOfALongLag(t *testing.T) {
	for name, test := range map[string]struct {
		age  time.Duration
		want int
	}{"long": {61 * time.Second, 4}, "short": {10 * time.Second, 1}} {
		f := serve(t, func(o *Options) {
			o.Warnings = func() []Warning { return []Warning{{"default", "look"}} }
			w := &o.Warehouses[0]
			w.Anchor = func() Anchor { return Anchor{Since: epoch.Add(-test.age)} }
			w.Sidecars = func() Sidecars { return Sidecars{Behind: 1, Oldest: epoch.Add(-test.age)} }
			w.Archive = func() Archive { return Archive{Mode: "async", Since: epoch.Add(-test.age)} }
		})
		s := f.status()
		if len(s.Warnings) != test.want {
			t.Errorf("%s: %+v", name, s.Warnings)
		}
		for _, w := range s.Warnings {
			if w.Critical || w.Message != "look" && !strings.Contains(w.Message, "late: 1 event behind, the oldest for 6") {
				t.Errorf("%s: %+v", name, w)
			}
		}
	}
}

// unreadablePurges is a reader that cannot tell.
type unreadablePurges struct{ projections.Reader }

func (unreadablePurges) Purges(context.Context, journal.Seq, int) ([]projections.Purge, error) {
	return nil, errors.New("input/output error")
}

// Changes are not taken, and yet the tables are read: purges are told, unless that
// fails.
func TestStatusReadsWithoutAWriter(t *testing.T) {
	for _, state := range []WriterState{WriterNoRoom, WriterStopped, WriterRunning} {
		for _, readable := range []bool{true, false} {
			f := serve(t, func(o *Options) {
				o.Ready = func(context.Context) error { return errors.New("no") }
				o.Writer = func() Writer { return Writer{State: state} }
				if !readable {
					o.Warehouses[0].State = unreadablePurges{o.Warehouses[0].State}
				}
			})
			s := f.status()
			if pending := s.Warehouses[0].Purges.Pending; (pending != nil) != readable || s.Ready || s.Writer.State != string(state) {
				t.Errorf("%s, tables read: %t: pending %v of %+v", state, readable, pending, s)
			}
		}
	}
}

// Who cannot look says so: that is no status.
func TestStatusCannotLook(t *testing.T) {
	f := serve(t, func(o *Options) {
		o.Warehouses[0].Cursor = func(context.Context) (journal.Position, error) { return journal.Position{}, errors.New("no") }
	})
	f.fails(f.do("GET", "/api/puddle/v1/status", ""), 503, "SlowDownException")
}

// manyPurges is a reader with so many pending purges, one a seq and a second.
type manyPurges struct {
	projections.Reader
	n int
}

func (m manyPurges) Purges(_ context.Context, after journal.Seq, limit int) ([]projections.Purge, error) {
	var page []projections.Purge
	for seq := int(after) + 1; seq <= m.n && len(page) < limit; seq++ {
		page = append(page, projections.Purge{Seq: journal.Seq(seq), At: epoch.Add(time.Duration(seq) * time.Second)})
	}
	return page, nil
}

// All pages are counted.
func TestManyPendingPurges(t *testing.T) {
	for _, n := range []int{0, 1, purgesPage, purgesPage + 1, 2*purgesPage + 7} {
		w := &Warehouse{State: manyPurges{n: n}, Catalog: catalog.New(catalog.Options{PurgeGrace: time.Minute})}
		p, err := w.pending(t.Context(), epoch.Add(time.Minute+1000*time.Second))
		if err != nil || p.all != int64(n) || p.due != int64(min(n, 1000)) {
			t.Errorf("of %d: %+v, %v", n, p, err)
		}
	}
}
