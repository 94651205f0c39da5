package recover_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// Each hostile or broken sidecar is one line, and nothing outside is read.
func TestCase52_Hostile(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"))
	for _, junk := range hostile() {
		s.put(junk[0], junk[1])
	}
	for name, text := range map[string]string{
		"other":           `{}`,
		"empty":           ``,
		"new version":     `{"format-version":2,"kind":"table","warehouse":"a","uuid":"11111111-0000-4000-8000-000000000001"}`,
		"large":           `{"format-version":1,"identifier":{"namespace":["` + strings.Repeat("n", 2<<20) + `"]}}`,
		"two\nlines \x01": `{"a":"` + "\x01" + `"}`,
	} {
		key := sidecars.Folder + "/" + uuid.NewSHA1(uuid.Nil, []byte(name)).String() + ".json"
		s.put(key, text)
	}
	s.put(sidecars.Folder+"/namespaces/11111111-0000-4000-8000-000000000009.json", `{"format-version":1,"kind":"namespace","namespace":[]}`)
	s.put(sidecars.Folder+"/notes.txt", `hello`)
	store := faulty.New(s.own, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && !strings.HasSuffix(key, ".json") || strings.Contains(key, "secret") || strings.Contains(key, "..") {
			t.Errorf("%s %s", op, key)
		}
		return faulty.Fault{}
	})
	p, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(store, s.other), Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, o := range p.Objects {
		if o.Outcome != recover.Failed {
			continue
		}
		failed++
		if text := o.Err.Error(); strings.ContainsAny(text, "\n\x01") || len(text) > 1000 {
			t.Errorf("%q", text)
		}
	}
	if o := object(t, p, 1); o.Outcome != recover.Recovered || failed != 12 {
		t.Errorf("%d failed of %+v", failed, p.Objects)
	}
	if len(p.NotUsed) != 1 || !strings.Contains(p.NotUsed[0].MetadataLocation, "torn") {
		t.Errorf("not used: %+v", p.NotUsed)
	}
}

// A sidecar that may not be read stops nothing; when none may be, nothing is known.
func TestCase52_MayNotBeRead(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"))
	s.says(2, "u", file("v2"))
	closed := map[string]bool{sidecars.Key(numbered(2)): true}
	store := faulty.New(s.own, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Get && closed[key] {
			return faulty.Before(&fs.PathError{Op: "open", Path: key, Err: syscall.EACCES})
		}
		return faulty.Fault{}
	})
	plan := func() recover.Plan {
		p, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(store, s.other), Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := plan()
	if o := object(t, p, 2); p.Unseen != nil || object(t, p, 1).Outcome != recover.Recovered || o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), "may not be read") {
		t.Errorf("%v, %+v", p.Unseen, p.Objects)
	}
	closed[sidecars.Key(numbered(1))] = true
	if p := plan(); !errors.Is(p.Unseen, fs.ErrPermission) {
		t.Errorf("unseen: %v", p.Unseen)
	}
}
