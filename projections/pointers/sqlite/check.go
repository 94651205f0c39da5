package sqlite

import "puddle/projections/pointers"
import "fmt"

// check reads the whole file and finds pages that do not fit together. It takes
// about a second for a GiB that the system has in memory.
func check(s *session) error {
	var found string
	if err := s.row("PRAGMA quick_check(1)").scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", pointers.ErrCorrupt, found)
	}
	return nil
}
