package verify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/recover/verify"
)

const externalFile = "s3://old/lake/t/metadata/v1.metadata.json"

// beside is a world with a table n.t in an external warehouse, to which nothing is
// written: who tries fails the test. What away tells, reads fail with.
func beside(t *testing.T, away func() error) (*world, *memory.Store, verify.Warehouse) {
	w, files := newWorld(t), memory.New()
	store := faulty.New(files, func(op faulty.Op, key string) faulty.Fault {
		if op != faulty.Get && op != faulty.Stat && op != faulty.List && op != faulty.CheckFolder {
			t.Errorf("%s %s", op, key)
		}
		return faulty.Before(away())
	})
	l, err := warehouse.ParseLocation("s3://old/lake")
	w.must(err)
	w.Externals = warehouse.Roots{{URL: "s3://old/lake", Location: l, Store: store, External: "old"}}
	w.must(files.Put(t.Context(), "t/metadata/v1.metadata.json", oldTable("")))
	_, err = w.RegisterTable(t.Context(), cause, name("t"), externalFile, false)
	w.must(err)
	w.table("own")
	w.anchored()
	subject := w.subject()
	subject.Externals = w.Externals
	return w, files, subject
}

func oldTable(log string) []byte {
	return fmt.Appendf(nil, `{"format-version":2,"table-uuid":%q,"location":"s3://old/lake/t","last-sequence-number":0,"last-updated-ms":1,"last-column-id":1,`+
		`"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","type":"int","required":false}]}],"default-spec-id":0,`+
		`"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]%s}`, "00000000-0000-4000-8000-0000000000aa", log)
}

func here() error { return nil }

// The files of external tables are looked at; what else lies there is their owner's.
func TestExternal(t *testing.T) {
	w, files, subject := beside(t, here)
	later := `,"metadata-log":[{"metadata-file":"` + externalFile + `","timestamp-ms":1}]`
	for file, data := range map[string][]byte{
		"t/metadata/v2.metadata.json": oldTable(later), "t/metadata/torn.metadata.json": {'{'}, "u/metadata/v1.metadata.json": oldTable(""),
	} {
		w.must(files.Put(t.Context(), file, data))
	}
	result, s := w.run(subject, 4)
	if len(s.findings)+len(s.unseen) > 0 || result.Summary.Objects != 2 || result.Summary.Files != 2 {
		t.Errorf("found %v, %v in %+v", s.findings, s.unseen, result.Summary)
	}
	w.must(files.Delete(t.Context(), "t/metadata/v1.metadata.json"))
	result, s = w.run(subject, 4)
	if len(s.findings) != 1 || s.findings[0].Kind != verify.KindMissing || !strings.Contains(s.findings[0].Message, "external warehouse old") ||
		!strings.HasPrefix(s.findings[0].Next, "puddle repoint lake") {
		t.Errorf("found %v", s.findings)
	}
	s = &told{}
	w.must(verify.Repair{At: at}.Mend(t.Context(), subject, result, s))
	if len(s.findings) != 1 || s.findings[0].Kind != verify.KindRefused || !strings.Contains(s.findings[0].Message, "external warehouse old, which is only read") {
		t.Errorf("repaired %v", s.findings)
	}
}

// An external warehouse that cannot be read, or is not configured, is told of each table
// in it, and the others are looked at.
func TestExternalIsAway(t *testing.T) {
	var away error
	w, _, subject := beside(t, func() error { return away })
	away = errors.Join(errors.New("unreachable"), warehouse.ErrDenied)
	result, s := w.run(subject, 4)
	if len(s.findings) > 0 || len(s.unseen) != 1 || s.unseen[0].Place != externalFile || result.Summary.Objects != 2 || result.Summary.Files != 1 {
		t.Errorf("found %v, not seen %v in %+v", s.findings, s.unseen, result.Summary)
	}
	subject.Externals = nil
	_, s = w.run(subject, 4)
	if len(s.kinds()) != 1 || s.findings[0].Kind != verify.KindForeign || !strings.Contains(s.findings[0].Message, "external-warehouses missing?") {
		t.Errorf("found %v, %v", s.findings, s.unseen)
	}
}
