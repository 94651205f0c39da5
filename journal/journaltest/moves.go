package journaltest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"

	"puddle/journal"
)

// snapshotIDs are such that float64 cannot hold them (case 14).
var snapshotIDs = []int64{4598286611352242712, math.MaxInt64, 1<<53 + 1, 1, 0}

// actions are the updates that bear and change an object.
var actions = map[journal.ObjectKind][2][]string{
	journal.Table: {{"assign-uuid", "add-schema"}, {"add-snapshot", "set-snapshot-ref"}},
	journal.View:  {{"assign-uuid", "add-view-version"}, {"add-view-version", "set-current-view-version"}},
}

// birth is the first move of a new object. It sometimes takes the place of one
// that is gone.
func (s *Story) birth(kind journal.ObjectKind, id journal.Identifier) journal.Move {
	unique := s.mint()
	to := journal.To{Identifier: id, Location: s.fresh()}
	if last := len(s.vacant) - 1; last >= 0 && s.minted%2 == 0 {
		to.Location = s.vacant[last]
	}
	return s.settle(journal.Move{Kind: kind, UUID: unique, To: &to, Updates: actions[kind][0]})
}

// fresh is a location that nobody has or had.
func (s *Story) fresh() string {
	key := []string{"t%d", "t%d-x", "a/b/t%d", "t%d x%%20y"}[s.minted%4]
	return "s3://lake/wh/" + fmt.Sprintf(key, s.minted)
}

// commit is the next move of an object, or the first of a table.
func (s *Story) commit(id journal.Identifier) journal.Move {
	o, ok := s.Objects[id.Key()]
	if !ok {
		return s.birth(journal.Table, id)
	}
	s.mint()
	to := o.To
	return s.settle(journal.Move{Kind: o.Kind, UUID: o.UUID, From: from(o), To: &to, Updates: actions[o.Kind][1]})
}

// register is the move of a file that somebody else made.
func (s *Story) register(kind journal.ObjectKind, id journal.Identifier) journal.Move {
	move := s.birth(kind, id)
	if _, ok := s.Objects[id.Key()]; ok {
		move = s.commit(id)
	}
	move.Updates = nil
	return move
}

// returning is the move of an object that was gone: at the file that it had last,
// where it is, or at another one.
func (s *Story) returning(o Object, id journal.Identifier) journal.Move {
	s.mint()
	to := o.To
	to.Identifier = id
	move := journal.Move{Kind: o.Kind, UUID: o.UUID, To: &to}
	if isVacant := slices.Contains(s.vacant, to.Location); isVacant && s.minted%2 == 0 {
		return move
	} else if !isVacant {
		to.Location = s.fresh()
	}
	return s.settle(move)
}

func (s *Story) rename(old, id journal.Identifier) journal.Move {
	o := s.Objects[old.Key()]
	to := o.To
	to.Identifier = id
	return journal.Move{Kind: o.Kind, UUID: o.UUID, From: from(o), To: &to}
}

func (s *Story) drop(id journal.Identifier) journal.Move {
	o := s.Objects[id.Key()]
	return journal.Move{Kind: o.Kind, UUID: o.UUID, From: from(o)}
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
		file := deflated(plain)
		m.To.Pointer.Encoding = journal.EncodingGzip
		m.To.Pointer.Size = int64(len(file))
		m.To.Pointer.SHA256 = journal.Sum(file)
	}
	if id := snapshotIDs[n%5]; id != 0 && m.Kind == journal.Table {
		m.SnapshotID = &id
	}
	return m
}

func from(o Object) *journal.From {
	return &journal.From{Identifier: o.To.Identifier, Pointer: o.To.Pointer}
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

// deflated is a metadata file with a document in it.
func deflated(plain []byte) []byte {
	var file bytes.Buffer
	z, err := gzip.NewWriterLevel(&file, gzip.StatelessCompression)
	if err == nil {
		_, err = z.Write(plain)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return file.Bytes()
}

// documents keeps those of a body's moves.
func documents(body journal.Body) []journal.Document {
	var kept []journal.Document
	for i, m := range (journal.Event{Body: body}).Moves() {
		if !IsKept(m) {
			continue
		}
		if d, ok := document(body.Kind(), i, m); ok {
			kept = append(kept, d)
		}
	}
	return kept
}

// document keeps one: of a registered gzip file, the file.
func document(kind journal.Kind, i int, m journal.Move) (journal.Document, bool) {
	plain := Metadata(*m.To)
	if kind == journal.KindTableRegistered && m.To.Pointer.Encoding == journal.EncodingGzip {
		return journal.KeepFile(i, deflated(plain), journal.MaxDocumentBytes)
	}
	return journal.KeepDocument(i, plain, journal.MaxDocumentBytes)
}
