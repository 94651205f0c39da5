package catalogtest

import (
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// Files is a store whose calls are steps: "file create" and so on.
func (s *Steps) Files(store warehouse.Store) warehouse.Store {
	return faulty.New(store, func(op faulty.Op, _ string) faulty.Fault {
		switch s.Next("file " + string(op)) {
		case "":
			return faulty.Fault{}
		case After, KilledAfter:
			return faulty.After(ErrInjected)
		}
		return faulty.Before(ErrInjected)
	})
}

// Journal is a journal whose appends are steps: "journal append".
func (s *Steps) Journal(j journal.Journal) journal.Journal {
	return journaltest.Faulty(j, func(int) journaltest.Fault {
		switch s.Next("journal append") {
		case "":
			return journaltest.None
		case Before:
			return journaltest.Refused
		case After, KilledAfter:
			return journaltest.UnknownDone
		}
		return journaltest.UnknownLost
	})
}
