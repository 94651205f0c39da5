package bolt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// binding is what a key is bound in: the digest is the actor's and the key's.
type binding struct {
	warehouse uuid.UUID
	key       journal.Digest
}

// durable is what readers are shown. bbolt shows them a commit before the sync
// that ends it, and goes on doing so when that sync fails: a follower that has
// seen such an event would be ahead of the journal once the event is lost.
type durable struct {
	mu    sync.RWMutex
	heads journal.Heads // nil: whatever the file says, nobody writes
	doubt []binding     // of the append under way, or of the one whose outcome is unknown
}

// head is where the history of a warehouse ends; all says that the file knows.
func (d *durable) head(warehouse uuid.UUID) (head journal.Position, known, all bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	chain, known := d.heads[warehouse]
	return chain.Head, known, d.heads == nil
}

// check is ErrUnknownOutcome while nobody knows whether a key is bound.
func (d *durable) check(b binding) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if slices.Contains(d.doubt, b) {
		return fmt.Errorf("%w: it binds the idempotency key that is asked for", journal.ErrUnknownOutcome)
	}
	return nil
}

// begin keeps what an append is to bind from the readers.
func (d *durable) begin(binds []binding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doubt = binds
}

// end shows what an append has moved: nothing when it was refused. After an
// unknown outcome its bindings stay in doubt.
func (d *durable) end(moved journal.Heads, err error) {
	if errors.Is(err, journal.ErrUnknownOutcome) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doubt = nil
	if err == nil {
		maps.Copy(d.heads, moved)
	}
}
