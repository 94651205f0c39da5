package catalog

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
)

// However many tables there are, and however long nothing is removed, what is
// remembered of spared files is bounded; of the table at hand it is the newest.
func TestSparedIsBounded(t *testing.T) {
	var s spared
	files := make([]string, maxOutdated+10)
	for i := range files {
		files[i] = fmt.Sprint(i)
	}
	var last uuid.UUID
	for range maxSpared/maxOutdated + 50 {
		last = uuid.New()
		s.add(last, files)
		s.add(last, files) // in place of those
	}
	held := 0
	for _, of := range s.of {
		held += len(of)
	}
	if held != s.files || held > maxSpared || held < maxSpared-maxOutdated {
		t.Errorf("%d files are held, said to be %d", held, s.files)
	}
	if of := s.take(last); len(of) != maxOutdated || of[0] != "10" {
		t.Errorf("the last has %d, from %v on", len(of), of[:min(1, len(of))])
	}
	if s.add(last, nil); s.files != held-maxOutdated || len(s.take(last)) > 0 {
		t.Errorf("%d files are left of %d", s.files, held)
	}
}
