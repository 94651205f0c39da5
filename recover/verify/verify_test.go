package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/anchor"
	"puddle/recover/verify"
)

// whole is a world with tables of every fate, in which nothing is wrong.
func whole(t *testing.T) *world {
	w := newWorld(t)
	for _, s := range []string{"a", "gzip", "dropped", "unregistered"} {
		w.table(s)
		w.commit(s)
	}
	w.must(w.DropTable(t.Context(), cause, name("dropped"), true))
	_, err := w.UnregisterTable(t.Context(), cause, name("unregistered"))
	w.must(err)
	w.must(w.RenameTable(t.Context(), cause, name("a"), name("b")))
	w.commit("b")
	w.anchored()
	return w
}

func TestNothingIsWrong(t *testing.T) {
	w := whole(t)
	result, s := w.run(w.subject(), 4)
	if len(s.findings)+len(s.unseen) > 0 {
		t.Errorf("found %v, %v", s.findings, s.unseen)
	}
	sum := result.Summary
	if !result.Whole || sum.Events != 14 || sum.Objects != 2 || sum.Files != 2 || sum.Documents != 9 || sum.NotKept != 0 || sum.Seq != 14 {
		t.Errorf("looked at %+v", sum)
	}
}

// damages are what can happen to files, with the level that finds it and how.
var damages = []struct {
	name   string
	damage func(w *world, o projections.Object)
	level  int
	kind   verify.Kind
}{
	{"gone", func(w *world, o projections.Object) {
		w.must(w.files.Delete(w.t.Context(), w.key(o.Pointer.MetadataLocation)))
	}, 3, verify.KindMissing},
	{"a bit", func(w *world, o projections.Object) {
		data := w.get(o.Pointer.MetadataLocation)
		data[len(data)/2] ^= 1
		w.put(o.Pointer.MetadataLocation, data)
	}, 3, verify.KindChanged},
	{"longer", func(w *world, o projections.Object) {
		w.put(o.Pointer.MetadataLocation, append(w.get(o.Pointer.MetadataLocation), '\n'))
	}, 3, verify.KindChanged},
	{"emptied", func(w *world, o projections.Object) { w.put(o.Pointer.MetadataLocation, nil) }, 3, verify.KindChanged},
	{"of another table", func(w *world, o projections.Object) {
		w.put(o.Pointer.MetadataLocation, w.get(w.object("gzip").Pointer.MetadataLocation))
	}, 3, verify.KindChanged},
	{"an older version", func(w *world, o projections.Object) {
		steps, err := w.recorder.Reader(w.id).Steps(w.t.Context(), o.UUID)
		w.must(err)
		w.put(o.Pointer.MetadataLocation, w.get(steps[0].Move.To.Pointer.MetadataLocation))
	}, 3, verify.KindChanged},
	{"an older journal", func(w *world, _ projections.Object) {
		head, _, err := anchor.ReadHead(w.t.Context(), w.files)
		w.must(err)
		text := string(w.get(location + "/" + anchor.HeadKey))
		w.put(location+"/"+anchor.HeadKey, []byte(strings.Replace(text, `"seq": `+head.Seq.String(), `"seq": 99`, 1)))
	}, 1, verify.KindAnchor},
	{"another journal", func(w *world, _ projections.Object) {
		head, _, err := anchor.ReadHead(w.t.Context(), w.files)
		w.must(err)
		text := string(w.get(location + "/" + anchor.HeadKey))
		w.put(location+"/"+anchor.HeadKey, []byte(strings.Replace(text, head.Hash.String(), journal.Sum(nil).String(), 1)))
	}, 1, verify.KindAnchor},
	{"a torn anchor", func(w *world, _ projections.Object) { w.put(location+"/"+anchor.HeadKey, []byte("{")) }, 1, verify.KindAnchor},
	{"another identity", func(w *world, _ projections.Object) {
		text := string(w.get(location + "/" + anchor.IdentityKey))
		id, _, err := anchor.ReadIdentity(w.t.Context(), w.files)
		w.must(err)
		w.put(location+"/"+anchor.IdentityKey, []byte(strings.Replace(text, id.Incarnation.String(), uuid.NewString(), 1)))
	}, 1, verify.KindIdentity},
}

func TestDamagesAreFound(t *testing.T) {
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			w := whole(t)
			o := w.object("b")
			c.damage(w, o)
			if _, s := w.run(w.subject(), c.level-1); c.level > 1 && len(s.findings) > 0 {
				t.Errorf("level %d finds %v", c.level-1, s.findings)
			}
			_, s := w.run(w.subject(), c.level)
			if got := s.kinds(); !slices.Equal(got, []verify.Kind{c.kind}) || len(s.unseen) > 0 {
				t.Fatalf("level %d finds %v %v, want %s", c.level, s.findings, s.unseen, c.kind)
			}
			f := s.findings[0]
			if f.Severity != verify.Error || f.Next == "" || f.Place == "" || f.Level != c.level || f.Message == "" {
				t.Errorf("it is told as %+v", f)
			}
			if c.level == 3 && (f.Object == nil || f.Object.UUID != o.UUID || f.Seq == 0 || f.Place != o.Pointer.MetadataLocation) {
				t.Errorf("it is told as %+v", f)
			}
		})
	}
}

// TestCase48_SomebodyElseWentOn finds files that descend from the current one and
// that no event names: one alone may be a killed server's, a row of them is not.
func TestCase48_SomebodyElseWentOn(t *testing.T) {
	w := newWorld(t)
	o := w.table("a")
	first := w.get(o.Pointer.MetadataLocation)
	next := func(from, to string) {
		entry := `"metadata-log":[{"timestamp-ms":1,"metadata-file":"` + from + `"}`
		w.put(to, bytes.Replace(first, []byte(`"metadata-log":[`), []byte(entry), 1))
	}
	folder := location + "/a/metadata/"
	next(o.Pointer.MetadataLocation, folder+"00001-x.metadata.json")
	w.anchored()
	_, s := w.run(w.subject(), 4)
	if got := s.kinds(); !slices.Equal(got, []verify.Kind{verify.KindNewer}) || s.findings[0].Severity != verify.Warning {
		t.Errorf("one file: %v", s.findings)
	}
	next(folder+"00001-x.metadata.json", folder+"00002-x.metadata.json")
	_, s = w.run(w.subject(), 4)
	if got := s.kinds(); !slices.Equal(got, []verify.Kind{verify.KindNewer, verify.KindNewer}) || s.findings[1].Severity != verify.Error {
		t.Errorf("two files: %v", s.findings)
	}
	// The table goes on here: what the others wrote is told still, as nobody's.
	w.commit("a")
	_, s = w.run(w.subject(), 4)
	if got := s.kinds(); !slices.Equal(got, []verify.Kind{verify.KindStray, verify.KindStray}) {
		t.Errorf("after a commit: %v", s.findings)
	}
	young := w.subject()
	young.Now, young.Settling = w.recorder.Reader(w.id), &verify.Settling{Age: time.Hour}
	result, s := w.run(young, 4)
	if len(s.kinds()) > 0 || result.Summary.TooYoung != 2 || result.Summary.LookAgain.IsZero() {
		t.Errorf("files that are young: %v, %+v", s.findings, result.Summary)
	}
}

// TestTablesThatDiffer compares pointer tables that hold something else.
func TestTablesThatDiffer(t *testing.T) {
	for what, change := range map[string]func(d *projections.Dump){
		"pointer": func(d *projections.Dump) { d.Objects[0].Pointer.SHA256[0] ^= 1 },
		"name":    func(d *projections.Dump) { d.Objects[0].Identifier.Name += "x" },
		"lost":    func(d *projections.Dump) { d.Objects = d.Objects[1:] },
		"dropped": func(d *projections.Dump) { d.Objects[0].Dropped = !d.Objects[0].Dropped },
		"place": func(d *projections.Dump) {
			d.Objects[0].Places = append(d.Objects[0].Places, journal.Place{Path: "/w/q/"})
		},
		"namespace":  func(d *projections.Dump) { d.Namespaces[0].Properties["k"] = "v" },
		"purge":      func(d *projections.Dump) { d.Purges[0].Done = true },
		"step":       func(d *projections.Dump) { d.Steps = d.Steps[:len(d.Steps)-1] },
		"step extra": func(d *projections.Dump) { d.Steps = append(d.Steps, d.Steps[len(d.Steps)-1]) },
		"warehouse":  func(d *projections.Dump) { d.Name = "other" },
		"ahead":      func(d *projections.Dump) { d.Cursor.Seq++ },
		"elsewhere":  func(d *projections.Dump) { d.Cursor.Hash[0] ^= 1 },
	} {
		t.Run(what, func(t *testing.T) {
			w := whole(t)
			elsewhere := what == "ahead" || what == "elsewhere" // the journal is in doubt, and they are evidence
			subject := w.subject()
			subject.Tables = changed{w.tables, change}
			result, s := w.run(subject, 2)
			if got := s.kinds(); !slices.Equal(got, []verify.Kind{verify.KindTables}) || result.TablesDiffer == elsewhere || result.Whole == elsewhere {
				t.Errorf("found %v", s.findings)
			}
		})
	}
}

// A table that is broken, or a store that fails, hides nothing of the others, and
// what could not be looked at is never told as clean.
func TestLaw11_UnseenIsNotClean(t *testing.T) {
	w := whole(t)
	o := w.object("b")
	broken := errors.New("broken")
	w.files = faulty.New(w.files, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && strings.HasSuffix(o.Pointer.MetadataLocation, key) {
			return faulty.Before(broken)
		}
		return faulty.Fault{}
	})
	result, s := w.run(w.subject(), 3)
	if len(s.findings) > 0 || len(s.unseen) != 1 || s.unseen[0].Place != o.Pointer.MetadataLocation || result.Summary.Objects != 2 {
		t.Errorf("found %v, not seen %v", s.findings, s.unseen)
	}
}

// A file that is larger than was committed is told without reading it: the store is asked for
// no more than that. One of the size of an older version is compared with that.
func TestAFileOfAnotherSizeIsNotRead(t *testing.T) {
	w := whole(t)
	o := w.object("b")
	steps, err := w.recorder.Reader(w.id).Steps(t.Context(), o.UUID)
	w.must(err)
	older := w.get(steps[0].Move.To.Pointer.MetadataLocation)
	var gets atomic.Int64
	files := w.files
	w.files = faulty.New(files, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && strings.HasSuffix(o.Pointer.MetadataLocation, key) {
			gets.Add(1)
		}
		return faulty.Fault{}
	})
	larger := make([]byte, o.Pointer.Size+1000)
	for _, c := range []struct {
		lies []byte
		gets int64
		says string
	}{
		{larger, 1, fmt.Sprintf("it has %d bytes, %d were committed", len(larger), o.Pointer.Size)},
		{older, 1, "they are those of " + steps[0].Move.To.Pointer.MetadataLocation},
	} {
		w.must(files.Put(t.Context(), w.key(o.Pointer.MetadataLocation), c.lies))
		gets.Store(0)
		_, s := w.run(w.subject(), 3)
		if len(s.findings) != 1 || s.findings[0].Kind != verify.KindChanged || !strings.Contains(s.findings[0].Message, c.says) {
			t.Errorf("found %v, want %q", s.findings, c.says)
		}
		if gets.Load() != c.gets {
			t.Errorf("%q: read %d times, want %d", c.says, gets.Load(), c.gets)
		}
	}
}

// TestCase155_DamageIsNamed damages the journal: the place is named, and nothing is
// repaired by what it says.
func TestCase155_DamageIsNamed(t *testing.T) {
	w := whole(t)
	o := w.object("b")
	w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
	head, err := w.journal.Warehouse(w.id).Head(t.Context())
	w.must(err)
	w.must(w.journal.Close())
	db, err := bbolt.Open(w.path, 0o600, nil)
	w.must(err)
	w.must(db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("warehouses")).Bucket(w.id[:]).Bucket(head.Incarnation[:]).Bucket([]byte("events"))
		return b.Delete([]byte{0, 0, 0, 0, 0, 0, 0, 5})
	}))
	w.must(db.Close())
	subject := w.subject()
	subject.Journal, subject.Auditor = w.damaged()
	result, s := w.run(subject, 3)
	if result.Whole || len(s.findings) == 0 || s.findings[0].Kind != verify.KindJournal || s.findings[0].Seq != 5 {
		t.Fatalf("found %v", s.findings)
	}
	if len(result.Broken) != 1 {
		t.Errorf("files are looked at by the pointer tables: %v", result.Broken)
	}
	mended := &told{}
	w.must(verify.Repair{}.Mend(t.Context(), subject, result, mended))
	if got := mended.kinds(); !slices.Equal(got, []verify.Kind{verify.KindRefused}) {
		t.Errorf("mended %v", mended.findings)
	}
}
