package journaltest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// Purge is a purge in the model: what a drop asked for and nothing cancelled.
type Purge struct {
	Drop   uuid.UUID // id of the event
	Object Object    // what was dropped
	Done   bool
}

// Purge closes the pending purge of a table.
func (s *Story) Purge(table uuid.UUID) {
	p := s.Purges[table]
	p.Done = true
	s.Purges[table] = p
	s.add(s.purged(table, p.Drop))
}

// Undrop brings an object back that is gone, under any name.
func (s *Story) Undrop(object uuid.UUID, id journal.Identifier) {
	s.tell(s.asDropped(s.returning(s.Gone(object), id)), undropped)
}

// asDropped is a return to the pointer that the object had when it went, as an
// undrop must be.
func (s *Story) asDropped(m journal.Move) journal.Move {
	to := *m.To
	to.Pointer = s.Gone(m.UUID).To.Pointer
	m.To = &to
	return m
}

// Repoint moves the pointer of a table or view by hand.
func (s *Story) Repoint(id journal.Identifier) {
	s.tell(s.repoint(id), func(m journal.Move) journal.Body { return repointed(m, s.reason()) })
}

// Pending are the tables whose purge is pending.
func (s *Story) Pending() []uuid.UUID {
	pending := slices.DeleteFunc(slices.Collect(maps.Keys(s.Purges)), func(table uuid.UUID) bool { return s.Purges[table].Done })
	slices.SortFunc(pending, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return pending
}

// asked keeps what the last draft, a drop, asked for.
func (s *Story) asked(dropped Object) {
	s.Purges[dropped.UUID] = Purge{Drop: s.Drafts[len(s.Drafts)-1].ID, Object: dropped}
}

func (s *Story) repoint(id journal.Identifier) journal.Move {
	m := s.commit(id)
	m.Updates = nil
	return m
}

// reason is one that varies in its characters.
func (s *Story) reason() string {
	return fmt.Sprintf("%s %d", []string{"bad load", "<\u00e9\u2028>", `"\`}[s.minted%3], s.minted)
}

// purged is the end of a purge, of varying success.
func (s *Story) purged(table, drop uuid.UUID) journal.TablePurged {
	n := int64(s.mint()[0])
	b := journal.TablePurged{Drop: drop, Table: table, Removed: n, Bytes: n * 1000, Kept: n % 3}
	for i := range b.Kept {
		b.Report = append(b.Report, journal.NewPurgeFinding(fmt.Sprintf("s3://elsewhere/\u00e9 %d\xff\n", i), "it is somebody else's"))
	}
	return b
}

func undropped(m journal.Move) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewUndropped{Moves: [1]journal.Move{m}}
	}
	return journal.TableUndropped{Moves: [1]journal.Move{m}}
}

func repointed(m journal.Move, reason string) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRepointed{Moves: [1]journal.Move{m}, Reason: reason}
	}
	return journal.TableRepointed{Moves: [1]journal.Move{m}, Reason: reason}
}
