package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/recover/verify"
)

// flawedWorld is one with many tables, some of whose files are wrong, and a journal of
// which some documents are.
func flawedWorld(t *testing.T) *world {
	w := newWorld(t)
	for i := range 24 {
		s := fmt.Sprintf("t%02d", i)
		o := w.table(s)
		if i%5 == 1 {
			o = w.commit(s)
		}
		switch i % 6 {
		case 2:
			w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
		case 3:
			w.put(o.Pointer.MetadataLocation, []byte("nonsense"))
		case 4:
			w.put(strings.Replace(o.Pointer.MetadataLocation, "00000-", "00001-", 1), w.get(o.Pointer.MetadataLocation))
		}
	}
	w.anchored()
	return w
}

// damageDocuments flips a bit in some documents of the closed journal.
func (w *world) damageDocuments(every int) {
	w.t.Helper()
	head, err := w.journal.Warehouse(w.id).Head(w.t.Context())
	w.must(err)
	w.must(w.journal.Close())
	db, err := bbolt.Open(w.path, 0o600, nil)
	w.must(err)
	w.must(db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("warehouses")).Bucket(w.id[:]).Bucket(head.Incarnation[:]).Bucket([]byte("documents"))
		changed, n := map[string][]byte{}, 0
		err := b.ForEach(func(key, value []byte) error {
			if n++; n%every == 0 {
				value = bytes.Clone(value)
				value[len(value)/2] ^= 1
				changed[string(key)] = value
			}
			return nil
		})
		for key, value := range changed {
			if err == nil {
				err = b.Put([]byte(key), value)
			}
		}
		return err
	}))
	w.must(db.Close())
}

// report is all that a run tells, in its order.
func report(t *testing.T, w verify.Warehouse, o verify.Options) (lines []string, summary verify.Summary, stops []verify.Progress) {
	t.Helper()
	s := &told{}
	o.Reached = func(p verify.Progress) { stops = append(stops, stored(t, p)) }
	result, err := verify.Run(t.Context(), w, o, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.findings {
		lines = append(lines, fmt.Sprint(f.Level, f))
	}
	for _, u := range s.unseen {
		lines = append(lines, fmt.Sprint("unseen ", u))
	}
	for _, o := range result.Broken {
		lines = append(lines, "broken "+o.UUID.String())
	}
	lines = append(lines, fmt.Sprint("whole ", result.Whole, ", differ ", result.TablesDiffer))
	return lines, result.Summary, stops
}

// stored is what a file makes of it.
func stored(t *testing.T, p verify.Progress) (back verify.Progress) {
	t.Helper()
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestResume stops a run wherever it can be: the one that goes on tells, in all, what
// one run tells, and does not look twice.
func TestResume(t *testing.T) {
	for name, damage := range map[string]func(w *world){
		"files":     func(w *world) { w.must(w.journal.Close()) },
		"documents": func(w *world) { w.damageDocuments(7) },
	} {
		t.Run(name, func(t *testing.T) {
			w := flawedWorld(t)
			damage(w)
			subject := w.subject()
			subject.Journal, subject.Auditor = w.damaged()
			options := verify.Options{Level: 4}
			want, sum, stops := report(t, subject, options)
			if len(want) < 10 || len(stops) < 20 {
				t.Fatalf("%d stops, told %q", len(stops), want)
			}
			for i, stop := range stops {
				options.From = &stop
				got, resumed, rest := report(t, subject, options)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("from stop %d (-want +got):\n%s", i, diff)
				}
				if !strings.Contains(resumed.Resumed, "events") || len(rest) >= len(stops) {
					t.Errorf("from stop %d: looked at before: %q, %d stops", i, resumed.Resumed, len(rest))
				}
				resumed.Resumed = ""
				if diff := cmp.Diff(sum, resumed); diff != "" {
					t.Errorf("from stop %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// TestResumeAfterChanges goes on when the catalog is no longer the same: objects that
// moved since are looked at again, and what was found of them before is forgotten.
func TestResumeAfterChanges(t *testing.T) {
	w := flawedWorld(t)
	_, _, stops := report(t, w.subject(), verify.Options{Level: 3})
	gone, dropped, kept := w.object("t02"), w.object("t08"), w.object("t14")
	w.must(w.DropTable(t.Context(), cause, name("t08"), false))
	w.put(gone.Pointer.MetadataLocation, []byte("other"))
	w.must(w.RenameTable(t.Context(), cause, name("t02"), name("u02"))) // it moved, and its file is wrong otherwise
	w.must(w.files.Delete(t.Context(), w.key(w.table("new").Pointer.MetadataLocation)))
	w.anchored()
	options := verify.Options{Level: 3, From: &stops[len(stops)-1]}
	got, _, rest := report(t, w.subject(), options)
	text := strings.Join(got, "\n")
	for says, want := range map[string]bool{
		"file-changed: lake: table n.u02": true, "table n.t02": false, "table n.t08": false,
		"file-missing: lake: table n.t14": true, "file-missing: lake: table n.new": true,
		"broken " + gone.UUID.String(): true, "broken " + dropped.UUID.String(): false, "broken " + kept.UUID.String(): true,
	} {
		if strings.Contains(text, says) != want {
			t.Errorf("%q is told: %t\n%s", says, !want, text)
		}
	}
	if len(rest) > 4 {
		t.Errorf("%d stops: it looks at all again", len(rest))
	}
}

// TestResumeOfAnother does not go on with what is of another history, or another
// warehouse, and says so.
func TestResumeOfAnother(t *testing.T) {
	w := flawedWorld(t)
	want, _, stops := report(t, w.subject(), verify.Options{Level: 3})
	last := stops[len(stops)-1]
	for name, change := range map[string]func(p *verify.Progress){
		"events": func(p *verify.Progress) {
			for id, at := range p.Audited.Through {
				at.Hash = journal.Sum(nil)
				p.Audited.Through[id] = at
			}
		},
		"objects":   func(p *verify.Progress) { p.Objects.Head.Hash = journal.Sum(nil) },
		"ahead":     func(p *verify.Progress) { p.Objects.Head.Seq += 10 },
		"elsewhere": func(p *verify.Progress) { p.Objects.Head.Incarnation = uuid.New() },
		"warehouse": func(p *verify.Progress) { p.Warehouse = uuid.New() },
	} {
		p := stored(t, last)
		change(&p)
		got, sum, _ := report(t, w.subject(), verify.Options{Level: 3, From: &p})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if (sum.Resumed == "") != (name == "warehouse") {
			t.Errorf("%s: looked at before: %q", name, sum.Resumed)
		}
	}
}

// TestResumeAfterACancel: a run whose context ends in the middle tells no half
// looks.
func TestResumeAfterACancel(t *testing.T) {
	w := flawedWorld(t)
	want, _, stops := report(t, w.subject(), verify.Options{Level: 4})
	for at := range stops {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		var last *verify.Progress
		s := &told{}
		_, err := verify.Run(ctx, w.subject(), verify.Options{Level: 4, Reached: func(p verify.Progress) {
			if p = stored(t, p); n < at {
				last = &p
			}
			if n++; n == at {
				cancel()
			}
		}}, s)
		cancel()
		if at > 0 && at < len(stops)-1 && err == nil {
			t.Errorf("stop %d: it went on", at)
		}
		if len(s.unseen) > 0 {
			t.Errorf("stop %d: %v", at, s.unseen)
		}
		got, _, _ := report(t, w.subject(), verify.Options{Level: 4, From: last})
		if !slices.Equal(want, got) {
			t.Errorf("stop %d: %s", at, cmp.Diff(want, got))
		}
	}
}
