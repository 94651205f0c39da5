package journal

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// TableCreated is a table's birth.
type TableCreated struct {
	Moves [1]Move `json:"moves"`
}

// TableRegistered takes a metadata file that is there already: as a table's
// birth, as the return of one that was dropped or unregistered, whose history it
// continues, or, with a from, in place of a live table's file.
type TableRegistered struct {
	Moves [1]Move `json:"moves"`
}

// TablesCommitted moves the pointers of one or more tables, all or none. A table
// created in the transaction is a birth. Each table moves once.
type TablesCommitted struct {
	Moves []Move `json:"moves"`
}

// TableRenamed changes a table's identifier and nothing else.
type TableRenamed struct {
	Moves [1]Move `json:"moves"`
}

// TableDropped ends a table. Purge asks for its files to be removed later.
type TableDropped struct {
	Moves [1]Move `json:"moves"`
	Purge bool    `json:"purge"`
}

// TableUnregistered ends a table here; its files are from now on somebody
// else's.
type TableUnregistered struct {
	Moves [1]Move `json:"moves"`
}

// Kind is KindTableCreated.
func (TableCreated) Kind() Kind { return KindTableCreated }

// Kind is KindTableRegistered.
func (TableRegistered) Kind() Kind { return KindTableRegistered }

// Kind is KindTablesCommitted.
func (TablesCommitted) Kind() Kind { return KindTablesCommitted }

// Kind is KindTableRenamed.
func (TableRenamed) Kind() Kind { return KindTableRenamed }

// Kind is KindTableDropped.
func (TableDropped) Kind() Kind { return KindTableDropped }

// Kind is KindTableUnregistered.
func (TableUnregistered) Kind() Kind { return KindTableUnregistered }

func (b TableCreated) moves() []Move      { return b.Moves[:] }
func (b TableRegistered) moves() []Move   { return b.Moves[:] }
func (b TablesCommitted) moves() []Move   { return b.Moves }
func (b TableRenamed) moves() []Move      { return b.Moves[:] }
func (b TableDropped) moves() []Move      { return b.Moves[:] }
func (b TableUnregistered) moves() []Move { return b.Moves[:] }

func (b TableCreated) check() error      { return b.Moves[0].check(Table, birth) }
func (b TableRegistered) check() error   { return b.Moves[0].check(Table, birthOrStep(b.Moves[0])) }
func (b TableRenamed) check() error      { return b.Moves[0].check(Table, step) }
func (b TableDropped) check() error      { return b.Moves[0].check(Table, death) }
func (b TableUnregistered) check() error { return b.Moves[0].check(Table, death) }

func (b TablesCommitted) check() error {
	if len(b.Moves) == 0 {
		return errors.New("a commit needs at least one move")
	}
	if len(b.Moves) == 1 {
		return b.Moves[0].check(Table, birthOrStep(b.Moves[0]))
	}
	seen := make(map[uuid.UUID]bool, len(b.Moves))
	for _, m := range b.Moves {
		if err := m.check(Table, birthOrStep(m)); err != nil {
			return err
		}
		if seen[m.UUID] {
			return fmt.Errorf("a commit moves %s twice", m.UUID)
		}
		seen[m.UUID] = true
	}
	return nil
}
