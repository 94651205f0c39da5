package journal

import (
	"errors"
	"fmt"
)

// RecoveryCompleted ends the recovery that its incarnation began with, or one that
// added to a catalog. From is what it was made from; Namespaces and Objects count
// what it brought back, Failed what it could not. It moves nothing.
type RecoveryCompleted struct {
	Failed     int64  `json:"failed"`
	From       string `json:"from"`
	Namespaces int64  `json:"namespaces"`
	Objects    int64  `json:"objects"`
}

// recoverySources are what a recovery can be made from.
var recoverySources = map[string]bool{"journal": true, "archive": true, "metastore": true, "sidecars": true}

// Kind is KindRecoveryCompleted.
func (RecoveryCompleted) Kind() Kind { return KindRecoveryCompleted }

func (RecoveryCompleted) moves() []Move { return nil }

func (b RecoveryCompleted) check() error {
	if b.Namespaces < 0 || b.Objects < 0 || b.Failed < 0 {
		return errors.New("a recovery counts below zero")
	}
	if !recoverySources[b.From] {
		return fmt.Errorf("a recovery from %q", b.From)
	}
	return nil
}

func (b RecoveryCompleted) write(w *writer) {
	w.raw(`"failed":`)
	w.integer(b.Failed)
	w.raw(`,"from":`)
	w.text(b.From)
	w.raw(`,"namespaces":`)
	w.integer(b.Namespaces)
	w.raw(`,"objects":`)
	w.integer(b.Objects)
}
