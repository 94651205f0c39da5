package dir

import "io"

// GoTheLongWay has the store do without its short way.
func (s *Store) GoTheLongWay() {
	s.quick.close()
	s.quick = quick{root: -1}
}

// Ordered reports whether the store is on one of orderedSystems.
func (s *Store) Ordered() bool { return s.quick.ordered }

// SystemOf is systemOf.
func SystemOf(mounts io.Reader, device string) string { return systemOf(mounts, device) }
