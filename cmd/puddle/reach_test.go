package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/journal/postgres"
)

// TestOneWarehouseWentBack: it is told once, whatever the others take meanwhile, and until
// a look at all of them says that it is over.
func TestOneWarehouseWentBack(t *testing.T) {
	var told strings.Builder
	n := &shared{node: &node{log: zerolog.New(&told)}}
	back := fmt.Errorf("%w: of one", postgres.ErrWentBack)
	for range 3 {
		n.observe(back)
		n.observe(nil)
		n.sawHeads(back)
		n.sawHeads(errors.New("no answer came"))
	}
	if !errors.Is(n.unreached(), postgres.ErrWentBack) {
		t.Errorf("it is over: %v", n.unreached())
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
