package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// stage is a journal with one event, whose next commit fails as it is told.
type stage struct {
	*Journal
	t         *testing.T
	path      string
	warehouse uuid.UUID
	entries   []journal.Entry // the first is there; the next binds a key
	fault     fault
	armed     bool
	kept      string // by OnReplaced
}

// fault is how a commit fails, and whether it can be found out what became of it.
type fault struct {
	err  error // of a write or a sync
	done bool  // it took effect all the same
	lost bool  // neither the file nor a copy can be looked at
}

var (
	errWrite = &fs.PathError{Op: "write", Path: "journal.db", Err: syscall.EIO}
	errSync  = syscall.EIO
)

func newStage(t *testing.T, f fault) *stage {
	t.Helper()
	s := &stage{t: t, path: filepath.Join(t.TempDir(), "journal.db"), warehouse: uuid.New(), fault: f}
	story := journaltest.NewStory(s.warehouse)
	for _, name := range []string{"a", "b"} {
		story.CreateNamespace(journal.Namespace{name}, nil)
	}
	d := &story.Drafts[1]
	d.Request = request()
	d.Cause.Actor, d.Cause.Key = d.Request.Actor, d.Request.Key
	s.entries = journaltest.Entries(t, story.Drafts, journaltest.Start)
	j, err := Open(s.path, Options{openFile: s.openFile, commit: s.commit, OnReplaced: func(kept string) { s.kept = kept }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.Journal = j
	journaltest.Append(t, j, s.entries[:1])
	s.armed = true
	return s
}

func request() *journal.Request {
	return &journal.Request{Actor: journal.Anonymous, Key: uuid.NewString(), Route: "POST /", Until: journaltest.Start.Add(time.Hour)}
}

// commit is the transaction's; when armed it fails once, and then lets nobody
// look if it is to be lost.
func (s *stage) commit(tx *bbolt.Tx) error {
	if !s.armed {
		return tx.Commit()
	}
	s.armed = false
	if !s.fault.done {
		return errors.Join(s.obstruct(), tx.Rollback(), s.fault.err)
	}
	if err := errors.Join(s.obstruct(), tx.Commit()); err != nil {
		return err
	}
	s.wantShown(1) // not before it is durable
	return s.fault.err
}

// obstruct puts a folder where the copy would be.
func (s *stage) obstruct() error {
	if !s.fault.lost || s.fault.err != errSync {
		return nil
	}
	return os.Mkdir(s.path+copySuffix, 0o700)
}

func (s *stage) openFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	if s.fault.lost && s.fault.err == errWrite && s.Journal != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	return os.OpenFile(name, flag, mode)
}

// wantShown checks that readers see n events, and nothing of the next.
func (s *stage) wantShown(n int) {
	s.t.Helper()
	r := s.Warehouse(s.warehouse)
	if got := journaltest.Events(s.t, r, 0); len(got) != n {
		s.t.Errorf("%d events are shown, want %d", len(got), n)
	}
	if head, err := r.Head(s.t.Context()); err != nil || head.Seq != journal.Seq(n) {
		s.t.Errorf("the head is %s, %v, want seq %d", head, err, n)
	}
	for i, e := range s.entries {
		if _, found, err := r.Find(s.t.Context(), e.Event.ID); err != nil || found != (i < n) {
			s.t.Errorf("find event %d: %t, %v", i+1, found, err)
		}
	}
}

func (s *stage) answered(r *journal.Request) (bool, error) {
	_, found, err := s.Warehouse(s.warehouse).Answered(s.t.Context(), r.Actor, r.Key, journaltest.Start)
	return found, err
}

// wantOutcome checks the answer of what failed, and what is done after it.
func (s *stage) wantOutcome(err error) {
	s.t.Helper()
	unknown, closed := errors.Is(err, journal.ErrUnknownOutcome), errors.Is(err, journal.ErrClosed)
	switch {
	case s.fault.lost:
		if !unknown || closed || !errors.Is(err, s.fault.err) {
			s.t.Fatalf("nobody can look, but the answer is %v", err)
		}
	case s.fault.done && err != nil, !s.fault.done && (err == nil || unknown || closed):
		s.t.Fatalf("done=%t is answered with %v", s.fault.done, err)
	}
	if replaced := s.fault.err == errSync && !s.fault.lost; replaced != (s.kept != "") {
		s.t.Errorf("the file was replaced, and is kept at %q", s.kept)
	} else if _, err := os.Stat(s.kept); replaced && err != nil {
		s.t.Error(err)
	}
	if left := Doubtful(s.path); left != (s.fault.lost && s.fault.err == errSync) {
		s.t.Errorf("is the file left in doubt: %t", left)
	}
}

// again opens the journal anew, with nothing in the way.
func (s *stage) again() {
	s.t.Helper()
	_ = s.Close()
	if s.fault.lost && s.fault.err == errSync {
		if _, err := Open(s.path, Options{}); err == nil {
			s.t.Fatal("a doubtful journal of which there is no copy is opened")
		}
		if err := os.Remove(s.path + copySuffix); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(s.path+copySuffix, []byte("a part of a copy"), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	s.kept = ""
	j, err := Open(s.path, Options{OnReplaced: func(kept string) { s.kept = kept }})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Journal = j
	if left := s.fault.lost && s.fault.err == errSync; left != (s.kept != "") || Doubtful(s.path) {
		s.t.Errorf("opened: kept %q, doubtful %t", s.kept, Doubtful(s.path))
	}
}

func faults(t *testing.T, do func(t *testing.T, s *stage)) {
	for _, err := range []error{errWrite, errSync} {
		for _, done := range []bool{false, true} {
			for _, lost := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v,done=%t,lost=%t", err, done, lost), func(t *testing.T) {
					do(t, newStage(t, fault{err, done, lost}))
				})
			}
		}
	}
}

// TestCase156_Appends fails the commit of a group in every way (architecture §4):
// what is answered is true, the writer goes on unless nobody knows, and what
// nobody knows is shown to nobody.
func TestCase156_Appends(t *testing.T) {
	faults(t, func(t *testing.T, s *stage) {
		err := s.Append(t.Context(), s.entries[1])
		s.wantOutcome(err)
		bound, boundErr := s.answered(s.entries[1].Request)
		switch {
		case s.fault.lost:
			s.wantShown(1)
			if !errors.Is(boundErr, journal.ErrUnknownOutcome) {
				t.Errorf("a key in doubt is bound: %t, %v", bound, boundErr)
			}
			err = s.Append(t.Context(), s.entries[1])
			if !errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrUnknownOutcome) {
				t.Errorf("append after that: %v", err)
			}
			s.again()
		case bound != s.fault.done || boundErr != nil:
			t.Errorf("the key is bound: %t, %v", bound, boundErr)
		}
		next := 1
		if s.fault.done {
			next = 2
		}
		s.wantShown(next)
		journaltest.Append(t, s.Journal, s.entries[next:])
		s.wantShown(len(s.entries))
		s.fault.lost = false
		s.again()
		s.wantShown(len(s.entries))
	})
}

// TestCase156_Answers does the same with an answer that wrote no event.
func TestCase156_Answers(t *testing.T) {
	faults(t, func(t *testing.T, s *stage) {
		a := journal.Answer{Status: 409, Request: *request()}
		s.wantOutcome(s.Remember(t.Context(), s.warehouse, journaltest.Start, a))
		if s.fault.lost {
			if err := s.Remember(t.Context(), s.warehouse, journaltest.Start, a); !errors.Is(err, journal.ErrClosed) {
				t.Errorf("remember after that: %v", err)
			}
			s.again()
		}
		if bound, err := s.answered(&a.Request); bound != s.fault.done || err != nil {
			t.Errorf("the key is bound: %t, %v", bound, err)
		}
		err := s.Remember(t.Context(), s.warehouse, journaltest.Start, a)
		if s.fault.done != errors.Is(err, journal.ErrKeyTaken) || !s.fault.done && err != nil {
			t.Errorf("remember it again: %v", err)
		}
		journaltest.Append(t, s.Journal, s.entries[1:])
	})
}

// A birth whose outcome is unknown is not shown.
func TestCase156_Births(t *testing.T) {
	s := newStage(t, fault{errSync, true, true})
	other := uuid.New()
	birth := journaltest.Entries(t, journaltest.NewStory(other).Drafts, journaltest.Start)
	if err := s.Append(t.Context(), birth...); !errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("append: %v", err)
	}
	if ids, err := s.Warehouses(t.Context()); err != nil || len(ids) != 1 {
		t.Errorf("warehouses: %v, %v", ids, err)
	}
	if _, err := s.Warehouse(other).Head(t.Context()); !errors.Is(err, journal.ErrNoWarehouse) {
		t.Errorf("head: %v", err)
	}
	s.again()
	if ids, err := s.Warehouses(t.Context()); err != nil || len(ids) != 2 {
		t.Errorf("warehouses after opening anew: %v, %v", ids, err)
	}
}

// TestGuard: what bbolt panics about and memory that is not there are damage.
func TestGuard(t *testing.T) {
	var damage *journal.Damage
	if err := guard(func() error { panic("page 7 is odd") }); !errors.As(err, &damage) {
		t.Errorf("a panic: %v", err)
	}
	if err := guard(func() error { return os.ErrClosed }); err != os.ErrClosed {
		t.Errorf("an error: %v", err)
	}
}
