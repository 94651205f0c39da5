package rest

import (
	"os"
	"testing"

	"puddle/journal"
)

// TestMain keeps a document before all tests: what compresses documents is made
// with the first one, and may not belong to one test's synctest bubble.
func TestMain(m *testing.M) {
	journal.KeepDocument(0, []byte(`{}`), journal.MaxDocumentBytes)
	os.Exit(m.Run())
}
