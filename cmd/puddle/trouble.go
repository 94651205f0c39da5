package main

import (
	"cmp"
	"slices"
	"sync"

	"puddle/rest"
)

// troubles are what somebody should look at that was found out while a node serves. Each
// is told in the log when it begins and when it ends. Safe for concurrent use.
type troubles struct {
	mu  sync.Mutex
	now map[subject]string // guarded by mu: what is said of each
}

// subject is something that a warehouse, or an external one, does not do.
type subject struct{ whose, thing string }

// note says how a thing is now: an empty message that it is well. It tells whether that
// begins or ends something.
func (t *troubles) note(of subject, message string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, was := t.now[of]
	if message == "" {
		delete(t.now, of)
		return was
	}
	if t.now == nil {
		t.now = map[subject]string{}
	}
	t.now[of] = message
	return !was
}

// all are those of the moment.
func (t *troubles) all() (all []rest.Warning) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for of, message := range t.now {
		all = append(all, rest.Warning{Warehouse: of.whose, Message: message})
	}
	slices.SortFunc(all, func(a, b rest.Warning) int {
		return cmp.Or(cmp.Compare(a.Warehouse, b.Warehouse), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// trouble notes how a thing is now, and logs when that is news.
func (n *node) trouble(of subject, message string) {
	switch news := n.troubles.note(of, message); {
	case news && message != "":
		n.log.Warn().Str("warehouse", of.whose).Str("of", of.thing).Msg(message)
	case news:
		n.log.Info().Str("warehouse", of.whose).Str("of", of.thing).Msg("well again")
	}
}
