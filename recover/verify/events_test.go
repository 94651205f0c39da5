package verify_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/recover/verify"
)

// heard is a sink that keeps how far each level said that it is.
type heard struct {
	told
	done, all map[int][]int64
}

func (s *heard) Progress(_ string, level int, done, all int64) {
	s.done[level], s.all[level] = append(s.done[level], done), append(s.all[level], all)
}

// twice is a world with two incarnations, and how many events they have.
func twice(t *testing.T) (w *world, first uuid.UUID, events int64) {
	w = newWorld(t)
	w.table("a")
	for range 600 {
		w.commit("a")
	}
	head, err := w.journal.Warehouse(w.id).Head(t.Context())
	w.must(err)
	w.begin(t)
	w.anchored()
	return w, head.Incarnation, int64(head.Seq) + 2
}

// hear runs levels 1 and 2.
func hear(w *world, subject verify.Warehouse) (verify.Result, *heard) {
	w.t.Helper()
	s := &heard{done: map[int][]int64{}, all: map[int][]int64{}}
	result, err := verify.Run(w.t.Context(), subject, verify.Options{Level: 2}, s)
	w.must(err)
	return result, s
}

// All incarnations are looked through, also where the journal can only be read, and
// progress is told of the events that there are, between whose seqs others may lie.
func TestAllIncarnationsAreRead(t *testing.T) {
	for name, auditor := range map[string]bool{"audited": true, "read": false} {
		t.Run(name, func(t *testing.T) {
			w, _, events := twice(t)
			subject := w.subject()
			if !auditor {
				subject.Auditor = nil
			}
			result, s := hear(w, subject)
			if len(s.kinds()) > 0 || !result.Whole || result.Summary.Incarnations != 2 || result.Summary.Events != events {
				t.Errorf("found %v; %+v", s.findings, result.Summary)
			}
			for level := 1; level <= 2; level++ {
				told, last := s.done[level], int64(0)
				for i, done := range told {
					if done < last || s.all[level][i] != events {
						t.Errorf("level %d: %d of %d events after %d, want of %d", level, done, s.all[level][i], last, events)
					}
					last = done
				}
				if last != events || auditor && len(told) < 2 {
					t.Errorf("level %d ended at %d of %d events: %v", level, last, events, told)
				}
			}
		})
	}
}

// A record that was changed in an earlier incarnation is found by reading, and the later
// ones are read all the same.
func TestDamageInAnEarlierIncarnationIsRead(t *testing.T) {
	w, first, events := twice(t)
	w.must(w.journal.Close())
	db, err := bbolt.Open(w.path, 0o600, nil)
	w.must(err)
	w.must(db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("warehouses")).Bucket(w.id[:]).Bucket(first[:]).Bucket([]byte("events"))
		key := []byte{0, 0, 0, 0, 0, 0, 0, 9}
		value := append([]byte{}, b.Get(key)...)
		value[len(value)/2] ^= 1
		return b.Put(key, value)
	}))
	w.must(db.Close())
	w.journal, err = bolt.Open(w.path, bolt.Options{})
	w.must(err)
	subject := w.subject()
	subject.Auditor, subject.Tables = nil, nil
	result, s := hear(w, subject)
	if result.Whole || len(s.findings) == 0 || s.findings[0].Kind != verify.KindJournal || s.findings[0].Seq != 9 || s.findings[0].Incarnation != first.String() {
		t.Errorf("found %+v; %+v", s.findings, result)
	}
	if got := result.Summary.Events; got >= events || got < 8+2 || result.Summary.Incarnations != 2 {
		t.Errorf("read %+v", result.Summary)
	}
}

// forged says that its incarnations go on from other events than they do.
type forged struct{ journal.Journal }

func (f forged) Incarnations(ctx context.Context, id uuid.UUID) ([]journal.Incarnation, error) {
	all, err := f.Journal.Incarnations(ctx, id)
	for i, one := range all {
		if one.Parent != nil {
			parent := *one.Parent
			parent.Hash[0] ^= 1
			all[i].Parent = &parent
		}
	}
	return all, err
}

// An incarnation that goes on from an event which is not there is found by reading.
func TestIncarnationThatContinuesNothing(t *testing.T) {
	w, _, _ := twice(t)
	subject := w.subject()
	subject.Journal, subject.Auditor, subject.Roots = forged{w.journal}, nil, nil
	result, s := hear(w, subject)
	if result.Whole || len(s.kinds()) == 0 || s.kinds()[0] != verify.KindJournal {
		t.Errorf("found %v", s.findings)
	}
}
