package purge

import (
	"crypto/sha256"

	"puddle/internal/warehouse"
)

// digest stands for a location, whatever its length.
type digest [16]byte

// digestOf is the same for all spellings of one location.
func digestOf(location string) digest {
	if parsed, err := warehouse.ParseLocation(location); err == nil {
		location = parsed.Path()
	}
	sum := sha256.Sum256([]byte(location))
	return digest(sum[:16])
}

// maxSeen bounds the memory of a seen set: about 50 MB.
const maxSeen = 1 << 20

// seen tells what came before, so that it is done once. When it is full it forgets
// everything: what is done again does no harm.
type seen map[digest]struct{}

// add tells whether the location is new.
func (s seen) add(location string) bool {
	d := digestOf(location)
	if _, old := s[d]; old {
		return false
	}
	if len(s) == maxSeen {
		clear(s)
	}
	s[d] = struct{}{}
	return true
}

// maxUnreadable bounds how many unreadable files are told apart.
const maxUnreadable = 1 << 16

// unreadable are the files that must stay since nobody knows what they name. When
// it is full, every other file counts as one of them.
type unreadable map[digest]struct{}

// add tells whether the location is new.
func (u unreadable) add(location string) bool {
	if u.holds(location) {
		return false
	}
	u[digestOf(location)] = struct{}{}
	return true
}

func (u unreadable) holds(location string) bool {
	_, old := u[digestOf(location)]
	return old || len(u) >= maxUnreadable
}
