package projectiontest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// sameAnswers asks two projections that hold the same what no dump shows.
func sameAnswers(t rapid.TB, got, want projections.Warehouse) {
	t.Helper()
	held := dump(t, want)
	equal(t, "answers", answers(t, got, held), answers(t, want, held))
}

// answers are what a projection says of purges, places and made files, asked for
// everything that is held, by question.
func answers(t rapid.TB, w projections.Reader, held projections.Dump) map[string]any {
	t.Helper()
	ctx := context.Background()
	said := map[string]any{}
	say := func(question string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		said[question] = answer
	}
	holder := func(path string, except uuid.UUID) {
		id, ok, err := w.PlaceHolder(ctx, path, except)
		say(fmt.Sprintf("holder of %q but for %s", path, except), [2]any{id, ok}, err)
	}
	for _, o := range held.Objects {
		p, ok, err := w.Purge(ctx, o.UUID)
		say("purge of "+o.UUID.String(), [2]any{p, ok}, err)
		for _, p := range o.Places {
			holder(p.Path+"f", uuid.Nil)
			holder(p.Path, o.UUID)
		}
	}
	for _, after := range append(asked(held), 0) {
		for _, limit := range []int{0, 1, 2} {
			pending, err := w.Purges(ctx, after, limit)
			say(fmt.Sprintf("%d pending after %d", limit, after), pending, err)
		}
	}
	for _, p := range held.Purges {
		for _, place := range p.Places {
			holder(place.Path, uuid.Nil)
		}
	}
	for _, s := range held.Steps {
		if s.Move.To != nil {
			location := s.Move.To.Pointer.MetadataLocation
			made, err := w.Created(ctx, s.Move.UUID, location)
			say(fmt.Sprintf("%s made %s", s.Move.UUID, location), made, err)
		}
	}
	return said
}

// asked are the seqs of the drops that asked for purges.
func asked(held projections.Dump) (seqs []journal.Seq) {
	for _, p := range held.Purges {
		seqs = append(seqs, p.Seq)
	}
	return seqs
}

// holdsPurges compares what drops asked for with the story's own model.
func holdsPurges(t rapid.TB, held projections.Dump, story *journaltest.Story) {
	t.Helper()
	got := map[uuid.UUID]journaltest.Purge{}
	for _, p := range held.Purges {
		to := journal.To{Identifier: p.Identifier, Pointer: p.Pointer, Location: p.Location, Places: p.Places}
		got[p.Table] = journaltest.Purge{Drop: p.Drop, Done: p.Done, Object: journaltest.Object{Kind: journal.Table, UUID: p.Table, To: to}}
	}
	want := maps.Clone(story.Purges)
	for table, p := range want {
		p.Object.To.Places = slices.Clone(p.Object.To.Places)
		slices.SortFunc(p.Object.To.Places, func(a, b journal.Place) int { return strings.Compare(a.Path, b.Path) })
		want[table] = p
	}
	equal(t, "purges", got, want)
}
