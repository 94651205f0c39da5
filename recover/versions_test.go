package recover_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/recover"
)

// TestLawVersions: of each pointer the file is found that its newest event kept, and of
// each object the pointers that it had, the newest first.
func TestLawVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := journaltest.Entries(t, journaltest.DrawStory(t, lake).Drafts, journaltest.Start)
		j := journal.NewMemory()
		journaltest.Append(t, j, entries)
		documents := recover.DocumentsOf(j, lake)
		until := journal.Seq(rapid.IntRange(0, len(entries)).Draw(t, "until"))
		earlier := recover.EarlierOf(j, lake, until)
		had := map[uuid.UUID][]recover.Earlier{}
		kept := map[journal.Digest]func() ([]byte, error){}
		pointers := map[journal.Digest]journal.Pointer{}
		for _, e := range entries {
			for i, m := range e.Event.Moves() {
				if m.To == nil || m.From != nil && m.From.Pointer == m.To.Pointer {
					continue
				}
				if until == 0 || e.Event.Seq <= until {
					had[m.UUID] = append(had[m.UUID], recover.Earlier{At: e.Event.Position, Pointer: m.To.Pointer})
				}
				sum := m.To.Pointer.SHA256
				pointers[sum] = m.To.Pointer
				kept[sum] = func() ([]byte, error) { return j.Warehouse(lake).Document(t.Context(), e.Event.Seq, i) }
			}
		}
		for sum, open := range kept {
			want, wantErr := open()
			got, err := documents.File(t.Context(), pointers[sum])
			if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
				t.Errorf("%d bytes, %v; want %d, %v", len(got), err, len(want), wantErr)
			}
		}
		if _, err := documents.File(t.Context(), journal.Pointer{}); !errors.Is(err, journal.ErrNoEvent) {
			t.Errorf("a file that nobody made: %v", err)
		}
		for object, want := range had {
			var got []recover.Earlier
			for e, err := range earlier(t.Context(), object) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e)
			}
			slices.Reverse(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", object, diff)
			}
		}
	})
}
