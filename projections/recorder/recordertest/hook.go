package recordertest

import (
	"errors"
	"sync"
)

// ErrInjected is wrapped by every failure that tests make.
var ErrInjected = errors.New("injected")

// Hook is told of a step twice: before it takes effect and after. An error makes
// the step fail there: not done, or done all the same.
type Hook func(step string, done bool) error

// Around does a step, and tells of it.
func (h Hook) Around(step string, do func() error) error {
	if err := h(step, false); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return h(step, true)
}

// FailAt fails the nth time a step comes by, before or after its effect.
func FailAt(step string, n int, done bool, err error) Hook {
	var mu sync.Mutex
	return func(s string, d bool) error {
		mu.Lock()
		defer mu.Unlock()
		if s != step || d != done {
			return nil
		}
		if n--; n != 0 {
			return nil
		}
		return err
	}
}
