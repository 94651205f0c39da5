package journal_test

import (
	"testing"

	"puddle/journal"
	"puddle/journal/journaltest"
)

func TestMemory(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) (journal.Journal, func() journal.Journal) {
		j := journal.NewMemory()
		t.Cleanup(func() { j.Close() })
		return j, nil
	})
}
