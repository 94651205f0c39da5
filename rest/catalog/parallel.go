package catalog

import (
	"sync"
	"sync/atomic"
)

// parallel bounds how many files of one command are read or written at once.
const parallel = 16

// forEach does n things, some at once, and answers the first error in their
// order. What has not begun when one fails is left out.
func forEach(n int, do func(i int) error) error {
	if n == 1 {
		return do(0)
	}
	var (
		group  sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		errs   = make([]error, n)
	)
	for range min(n, parallel) {
		group.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
