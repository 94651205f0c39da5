package pointers

import "fmt"

// check reads the whole file and finds pages that do not fit together. It is for
// a file that was not closed: the system may have gone down, and not all of it
// may be what was written (formats §3).
func check(s *session) error {
	var found string
	if err := s.row("PRAGMA quick_check(1)").scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", ErrCorrupt, found)
	}
	return nil
}
