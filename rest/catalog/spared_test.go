package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Case 127: the file that the table's history would be found by stays, and all that
// came after it, until a later commit sees that it is past.
func TestCase127_NamedFileStays(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		var named string
		var cannot error
		p.Named = func(context.Context, uuid.UUID) (string, error) { return named, cannot }
		all := []catalog.Table{p.table(t, "t", g.url+"/t", deleteAfterCommit, "true", previousVersions, "1")}
		commit := func() {
			t.Helper()
			next, err := p.commit(t, "t", "", set("k", uuid.NewString()))
			must(t, err)
			all = append(all, next)
		}
		named = all[0].MetadataLocation
		commit()
		commit()
		commit()
		p.hasOnly(t, all...) // it is at the first still
		named = all[1].MetadataLocation
		commit()
		p.hasOnly(t, all[1:]...)
		cannot = errors.New("cannot tell")
		commit()
		p.hasOnly(t, all[1:]...)
		cannot, named = nil, "s3://elsewhere/x"
		commit()
		p.hasOnly(t, all[1:]...)
		named = all[6].MetadataLocation
		commit()
		p.hasOnly(t, all[6], all[7])
		audit(t, g)
	})
}

// A spared file that is current again, or in the log, is not removed later.
func TestSparedFileComesBack(t *testing.T) {
	p := fresh(t)
	var named string
	p.Named = func(context.Context, uuid.UUID) (string, error) { return named, nil }
	a := p.trimmed(t, "a", "1", 3)
	named = a[0].MetadataLocation
	_, err := p.Repoint(ctx, cause, catalog.Repoint{
		Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "a"}, To: a[0].MetadataLocation, AllowRewind: true, Force: true, Reason: "test",
	})
	must(t, err)
	next, err := p.commit(t, "a", "", set("k", "x"))
	must(t, err)
	named = next.MetadataLocation
	last, err := p.commit(t, "a", "", set("k", "y"))
	must(t, err)
	if !present(t, p.ground, next.MetadataLocation) || !present(t, p.ground, last.MetadataLocation) {
		t.Error("a file of the log is gone")
	}
	audit(t, p.ground)
}

// unknown is a recorder of which nobody knows what it did.
type unknown struct{ catalog.Recorder }

func (unknown) Record(context.Context, journal.Draft) (journal.Event, error) {
	return journal.Event{}, journal.ErrUnknownOutcome
}

// Case 33: who keeps the files of unknown outcome apart hears of them before the
// client does, with the id that the event would have; of nothing else.
func TestCase33_UnconfirmedIsTold(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "")
	var told []journal.Move
	var ids []uuid.UUID
	p.Unconfirmed = func(_ context.Context, _ journal.Cause, event uuid.UUID, moves []journal.Move) {
		told, ids = append(told, moves...), append(ids, event)
	}
	if _, err := p.commit(t, "t", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v")); err == nil || told != nil {
		t.Fatalf("a refusal: %v, told %v", err, told)
	}
	p.Recorder = unknown{}
	_, err := p.commit(t, "t", "", set("k", "v"))
	refused(t, err, catalog.OutcomeUnknown, "not known")
	if len(told) != 1 || ids[0] == uuid.Nil || told[0].From.Pointer.MetadataLocation != table.MetadataLocation || !present(t, p.ground, told[0].To.Pointer.MetadataLocation) {
		t.Errorf("told %+v", told)
	}
	_, err = p.CreateNamespace(ctx, cause, journal.Namespace{"m"}, nil)
	refused(t, err, catalog.OutcomeUnknown, "not known")
	if diff := cmp.Diff(1, len(told)); diff != "" {
		t.Errorf("a namespace has no file: %s", diff)
	}
}
