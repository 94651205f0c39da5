package journaltest

import (
	"fmt"
	"math"

	"puddle/journal"
)

// snapshotIDs are such that float64 cannot hold them (case 14).
var snapshotIDs = []int64{4598286611352242712, math.MaxInt64, 1<<53 + 1, 1, 0}

// birth is the first move of a new table. It sometimes takes the place of one
// that was dropped.
func (s *Story) birth(id journal.Identifier) journal.Move {
	unique := s.mint()
	n := s.minted
	key := fmt.Sprintf([]string{"t%d", "t%d-x", "a/b/t%d", "t%d x%%20y"}[n%4], n)
	if len(s.dropped) > 0 && n%2 == 0 {
		last := len(s.dropped) - 1
		key = s.dropped[last].To.Location[len("s3://lake/wh/"):]
		s.dropped = s.dropped[:last]
	}
	to := journal.To{Identifier: id, Location: "s3://lake/wh/" + key}
	return s.settle(journal.Move{Kind: journal.Table, UUID: unique, To: &to, Updates: []string{"assign-uuid", "add-schema"}})
}

// commit is the next move of a table, or its first.
func (s *Story) commit(id journal.Identifier) journal.Move {
	t, ok := s.Tables[id.Key()]
	if !ok {
		return s.birth(id)
	}
	s.mint()
	to := t.To
	return s.settle(journal.Move{
		Kind: journal.Table, UUID: t.UUID, From: from(t), To: &to, Updates: []string{"add-snapshot", "set-snapshot-ref"},
	})
}

func (s *Story) rename(old, id journal.Identifier) journal.Move {
	t := s.Tables[old.Key()]
	to := t.To
	to.Identifier = id
	return journal.Move{Kind: journal.Table, UUID: t.UUID, From: from(t), To: &to}
}

func (s *Story) drop(id journal.Identifier) journal.Move {
	t := s.Tables[id.Key()]
	return journal.Move{Kind: journal.Table, UUID: t.UUID, From: from(t)}
}

// settle gives a move that made a metadata file its pointer, places and
// snapshot.
func (s *Story) settle(m journal.Move) journal.Move {
	n := s.minted
	m.To.Pointer = journal.Pointer{
		Encoding:         journal.EncodingNone,
		MetadataLocation: fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", m.To.Location, n, m.UUID),
	}
	m.To.Places = []journal.Place{{Path: m.To.Location[len("s3:"):] + "/", Role: "location"}}
	if n%3 == 0 {
		m.To.Places = append(m.To.Places, journal.Place{Path: fmt.Sprintf("//lake/data/%s/", m.UUID), Role: "write.data.path"})
	}
	plain := metadata(m.To.Pointer)
	m.To.Pointer.Size = int64(len(plain))
	m.To.Pointer.SHA256 = journal.Sum(plain)
	m.To.Pointer.DocumentSHA256 = journal.Sum(plain)
	if n%5 == 0 {
		m.To.Pointer.Encoding = journal.EncodingGzip
		m.To.Pointer.SHA256 = journal.Sum(append([]byte("gzip of "), plain...))
	}
	if id := snapshotIDs[n%5]; id != 0 {
		m.SnapshotID = &id
	}
	return m
}

func from(t Table) *journal.From {
	return &journal.From{Identifier: t.To.Identifier, Pointer: t.To.Pointer}
}

// metadata is the document that a pointer names.
func metadata(p journal.Pointer) []byte {
	return fmt.Appendf(nil, `{"format-version":2,"properties":{"made-at":%q}}`, p.MetadataLocation)
}

// Metadata is the document that a move of a story made.
func Metadata(to journal.To) []byte { return metadata(to.Pointer) }

// IsKept tells whether a story keeps the document that a move made: renames make
// none, and of the others every fourth is left to its digest.
func IsKept(m journal.Move) bool {
	if m.To == nil || m.From != nil && m.From.Pointer == m.To.Pointer {
		return false
	}
	return m.To.Pointer.DocumentSHA256[0]%4 != 0
}

// documents keeps those of a body's moves.
func documents(body journal.Body) []journal.Document {
	var kept []journal.Document
	for i, m := range (journal.Event{Body: body}).Moves() {
		if !IsKept(m) {
			continue
		}
		if d, ok := journal.KeepDocument(i, Metadata(*m.To), journal.MaxDocumentBytes); ok {
			kept = append(kept, d)
		}
	}
	return kept
}
