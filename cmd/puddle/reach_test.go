package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal/postgres"
)

// TestOneWarehouseWentBack: it is told once, whatever the others take meanwhile, and until
// a look at all of them says that it is over.
func TestOneWarehouseWentBack(t *testing.T) {
	var told strings.Builder
	n := &shared{node: &node{log: zerolog.New(&told)}}
	lake := uuid.New()
	n.warehouses = []*warehouse{{Warehouse: config.Warehouse{Name: "lake"}, id: lake}}
	back := fmt.Errorf("%w: warehouse %s was seen at 7", postgres.ErrWentBack, lake)
	for range 3 {
		n.observe(back)
		n.observe(nil)
		n.sawHeads(back)
		n.sawHeads(errors.New("no answer came"))
	}
	if !errors.Is(n.unreached(), postgres.ErrWentBack) {
		t.Errorf("it is over: %v", n.unreached())
	}
	if is := n.unreached().Error(); !strings.Contains(is, "warehouse lake was seen at 7") {
		t.Errorf("the warehouse is not named: %s", is)
	}
	if said := inWords(n.unreached()).Error(); !strings.Contains(said, "do not restart any replica, see docs/operations.md#the-database-went-back") {
		t.Errorf("anybody is told %s", said)
	}
	n.sawHeads(nil)
	if n.unreached() != nil {
		t.Errorf("it is not over: %v", n.unreached())
	}
	n.observe(postgres.ErrReadOnly)
	n.sawHeads(nil)
	if !errors.Is(n.unreached(), postgres.ErrReadOnly) {
		t.Errorf("who reads heads finds that changes are taken: %v", n.unreached())
	}
	n.observe(nil)
	if lines := strings.Count(told.String(), "\n"); n.unreached() != nil || lines != 4 {
		t.Errorf("%v; told %d times:\n%s", n.unreached(), lines, told.String())
	}
}
