package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

// An erased document is told from one that was never kept, what it leaves behind is
// one byte for ever, and nothing can be made of it.
func TestErasedDocuments(t *testing.T) {
	if journal.CodecErased != 4 {
		t.Errorf("the codec is %d", journal.CodecErased)
	}
	var there journal.Document
	to := goldTo("orders", 1)
	shelf := journal.Shelf(func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		at := journal.Position{Incarnation: uuid.Nil, Seq: seq}
		return journal.Event{Position: at, Body: journal.TableCreated{Moves: [1]journal.Move{{To: to}}}}, there, nil
	})
	there = journal.Document{Codec: journal.CodecErased}
	if _, err := shelf.Open(5, 0); !errors.Is(err, journal.ErrErased) || errors.Is(err, journal.ErrNotKept) || !journal.NotKept(err) {
		t.Errorf("erased: %v", err)
	}
	var damage *journal.Damage
	there.Data = []byte("x")
	if _, err := shelf.Open(5, 0); !errors.As(err, &damage) {
		t.Errorf("with bytes that are there: %v", err)
	}
	for bit := range 8 {
		there = journal.Document{Codec: journal.CodecErased ^ 1<<bit}
		if _, err := shelf.Open(5, 0); !errors.Is(err, journal.ErrNewer) {
			t.Errorf("with bit %d flipped: %v", bit, err)
		}
	}
}

// What is built on an erased document is not appended, and where it is kept all the
// same it is damaged.
func TestPatchOnAnErasedDocument(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(frozen, "document-patch.bin"))
	if err != nil {
		t.Fatal(err)
	}
	patch, erased := journal.Document{Codec: journal.CodecPatch, Data: data}, journal.Document{Codec: journal.CodecErased}
	if on, ok := patch.On(); !ok || on != (journal.Base{Seq: 4}) {
		t.Fatalf("it is built on %+v", on)
	}
	err = patch.CheckBase(func(journal.Seq, int) (journal.Document, bool) { return erased, true })
	if !errors.Is(err, journal.ErrNoBase) {
		t.Errorf("appended: %v", err)
	}
	to := goldTo("orders", 1)
	_, err = journal.Shelf(func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		e := journal.Event{Position: journal.Position{Seq: seq}, Body: journal.TableCreated{Moves: [1]journal.Move{{To: to}}}}
		if seq == 4 {
			return e, erased, nil
		}
		return e, patch, nil
	}).Open(5, 0)
	var damage *journal.Damage
	if !errors.As(err, &damage) || damage.Base != 4 {
		t.Errorf("read: %v", err)
	}
	if again := patch.OnAnother(7); again.Patches() != 8 || patch.Patches() != 1 {
		t.Errorf("on another it is patch %d, and the first is patch %d", again.Patches(), patch.Patches())
	}
}
