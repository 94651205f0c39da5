package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

func TestNamespaces(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		made, err := p.CreateNamespace(ctx, called("make"), journal.Namespace{"a"}, map[string]string{"owner": "me"})
		must(t, err)
		p.namespace(t, nil, "a", "b")
		p.namespace(t, nil, "c")

		found, err := p.Namespace(ctx, journal.Namespace{"a"})
		must(t, err)
		if diff := cmp.Diff(made, found); diff != "" {
			t.Errorf("made and found differ: %s", diff)
		}
		for parent, want := range map[string][]string{"": {"a", "c"}, "a": {"b"}, "c": {}} {
			names, err := p.Children(ctx, journal.NamespaceOfKey(parent), projections.Page{})
			must(t, err)
			if diff := cmp.Diff(want, names, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("children of %q: %s", parent, diff)
			}
		}
		must(t, p.DropNamespace(ctx, cause, journal.Namespace{"c"}))
		_, err = p.Namespace(ctx, journal.Namespace{"c"})
		refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: c")

		e := audit(t, g)[0]
		body := journal.NamespaceCreated{ID: made.ID, Namespace: made.Name, Properties: made.Properties}
		if diff := cmp.Diff(journal.Body(body), e.Body); diff != "" || e.Cause.RequestID != "make" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
	})
}

// The texts are those that clients copy and tests of clients compare.
func TestNamespaceRefusals(t *testing.T) {
	p := fresh(t)
	nope := journal.Namespace{"nope"}
	_, err := p.CreateNamespace(ctx, cause, journal.Namespace{"n"}, nil)
	refused(t, err, catalog.AlreadyExists, "Namespace already exists: n")
	_, err = p.CreateNamespace(ctx, cause, journal.Namespace{"nope", "x"}, nil)
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: nope")
	_, err = p.Children(ctx, nope, projections.Page{})
	refused(t, err, catalog.NoSuchNamespace)
	if err.Error() != "Namespace does not exist: nope" {
		t.Errorf("the whole text is %q", err)
	}
	_, err = p.Tables(ctx, nope, projections.Page{})
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: nope")
	_, err = p.UpdateNamespace(ctx, cause, nope, []string{"a"}, nil)
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: nope")
	refused(t, p.DropNamespace(ctx, cause, nope), catalog.NoSuchNamespace, "Namespace does not exist: nope")

	long := strings.Repeat("n", journal.MaxLevelBytes+1)
	for _, bad := range []journal.Namespace{nil, {""}, {"."}, {"a", ".."}, {"a\x1fb"}, {"a\nb"}, {"\xff"}, {long}} {
		_, err = p.CreateNamespace(ctx, cause, bad, nil)
		refused(t, err, catalog.Invalid)
	}
	_, err = p.CreateNamespace(ctx, cause, journal.Namespace{long}, nil)
	refused(t, err, catalog.Invalid, "1025", "1024")
	_, err = p.CreateNamespace(ctx, cause, nope, map[string]string{"big": strings.Repeat("x", catalog.MaxPropertiesBytes)})
	refused(t, err, catalog.Invalid, fmt.Sprint(catalog.MaxPropertiesBytes+3), fmt.Sprint(catalog.MaxPropertiesBytes))
	if events := audit(t, p.ground); len(events) != 1 {
		t.Errorf("%d events: a refusal was recorded", len(events))
	}
}

func TestCase94_NamespaceThatIsNotEmpty(t *testing.T) {
	p := fresh(t)
	n := journal.Namespace{"n"}
	p.namespace(t, nil, "n", "child")
	refused(t, p.DropNamespace(ctx, cause, n), catalog.NamespaceNotEmpty, "n is not empty")
	must(t, p.DropNamespace(ctx, cause, journal.Namespace{"n", "child"}))
	p.table(t, "t", "")
	refused(t, p.DropNamespace(ctx, cause, n), catalog.NamespaceNotEmpty, "n is not empty")
	must(t, p.DropTable(ctx, cause, id("t"), false)) // without purge
	must(t, p.DropNamespace(ctx, cause, n))
	audit(t, p.ground)
}

// Names that wild cards, prefixes or dots would confuse.
func TestCase96_NamesAreExact(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		names := []journal.Namespace{{"my_ns_1_2"}, {"my_ns_112_1"}, {"a%"}, {"ab"}, {"a.b"}, {"a"}, {"a", "b"}, {"A"}, {"é"}, {"e\u0301"}}
		for i, name := range names {
			_, err := p.CreateNamespace(ctx, cause, name, map[string]string{"i": fmt.Sprint(i)})
			must(t, err)
		}
		for i, name := range names {
			found, err := p.Namespace(ctx, name)
			must(t, err)
			if found.Properties["i"] != fmt.Sprint(i) {
				t.Errorf("%q is another's", name)
			}
		}
		for _, missing := range []journal.Namespace{{"my_ns_1"}, {"my_ns"}, {"%"}, {"a_"}, {"a", "B"}, {"b"}} {
			_, err := p.Namespace(ctx, missing)
			refused(t, err, catalog.NoSuchNamespace)
		}
		must(t, p.DropNamespace(ctx, cause, journal.Namespace{"a.b"}))
		must(t, p.DropNamespace(ctx, cause, journal.Namespace{"ab"}))
		_, err := p.Namespace(ctx, journal.Namespace{"a", "b"})
		must(t, err)
		audit(t, g)
	})
}

func TestCase106_NamespaceProperties(t *testing.T) {
	p := fresh(t)
	n := journal.Namespace{"n"}
	_, err := p.UpdateNamespace(ctx, cause, n, []string{"k"}, map[string]string{"k": "v"})
	refused(t, err, catalog.Unprocessable, "k")

	for _, step := range []struct {
		removals []string
		updates  map[string]string
		want     catalog.PropertiesChange
		after    map[string]string
	}{
		{nil, map[string]string{"b": "2", "a": "1"}, catalog.PropertiesChange{Updated: []string{"a", "b"}}, map[string]string{"a": "1", "b": "2"}},
		{[]string{"z", "a", "a"}, nil, catalog.PropertiesChange{Removed: []string{"a"}, Missing: []string{"z"}}, map[string]string{"b": "2"}},
		{[]string{"b"}, map[string]string{"c": ""}, catalog.PropertiesChange{Removed: []string{"b"}, Updated: []string{"c"}}, map[string]string{"c": ""}},
		{[]string{"c"}, nil, catalog.PropertiesChange{Removed: []string{"c"}}, map[string]string{}},
	} {
		change, err := p.UpdateNamespace(ctx, cause, n, step.removals, step.updates)
		must(t, err)
		if diff := cmp.Diff(step.want, change, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("change: %s", diff)
		}
		if change.Updated == nil || change.Removed == nil || change.Missing == nil {
			t.Errorf("a list is nil: %+v", change)
		}
		now, err := p.Namespace(ctx, n)
		must(t, err)
		if diff := cmp.Diff(step.after, now.Properties); diff != "" {
			t.Errorf("after: %s", diff)
		}
	}
	audit(t, p.ground)
}

// The events say what was asked and not what came of it, so that two writers of
// different keys both have their way.
func TestNamespaceEvents(t *testing.T) {
	p := fresh(t)
	n := journal.Namespace{"n"}
	made, err := p.Namespace(ctx, n)
	must(t, err)
	_, err = p.UpdateNamespace(ctx, called("first"), n, nil, map[string]string{"a": "1", "b": "2"})
	must(t, err)
	_, err = p.UpdateNamespace(ctx, called("second"), n, []string{"absent", "a"}, map[string]string{"c": "3"})
	must(t, err)
	must(t, p.DropNamespace(ctx, called("drop"), n))
	var got []journal.Body
	for _, e := range audit(t, p.ground)[1:] {
		got = append(got, e.Body)
	}
	want := []journal.Body{
		journal.NamespaceUpdated{ID: made.ID, Namespace: n, Removed: []string{}, Updated: map[string]string{"a": "1", "b": "2"}},
		journal.NamespaceUpdated{ID: made.ID, Namespace: n, Removed: []string{"a"}, Updated: map[string]string{"c": "3"}},
		journal.NamespaceDropped{ID: made.ID, Namespace: n},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An update without effect is no event; one that would pass the limit changes
// nothing.
func TestNamespaceUpdateWithoutEffect(t *testing.T) {
	p := fresh(t)
	n := journal.Namespace{"n"}
	_, err := p.UpdateNamespace(ctx, cause, n, nil, map[string]string{"k": "v"})
	must(t, err)
	before := len(audit(t, p.ground))
	change, err := p.UpdateNamespace(ctx, cause, n, []string{"absent"}, map[string]string{"k": "v"})
	must(t, err)
	if diff := cmp.Diff(catalog.PropertiesChange{Updated: []string{"k"}, Removed: []string{}, Missing: []string{"absent"}}, change); diff != "" {
		t.Error(diff)
	}
	_, err = p.UpdateNamespace(ctx, cause, n, nil, map[string]string{"big": strings.Repeat("x", catalog.MaxPropertiesBytes)})
	refused(t, err, catalog.Invalid)
	if now := len(audit(t, p.ground)); now != before {
		t.Errorf("%d events more", now-before)
	}
}

// Two servers that set different keys both have their way (case 106).
func TestCase106_TwoWritersOfProperties(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, map[string]string{"stays": "here"}, "n")
		servers := []*catalog.Catalog{p.Catalog, p.another(t, g.files)}
		want := map[string]string{"stays": "here"}
		var group sync.WaitGroup
		errs := make([]error, 32)
		for i := range errs {
			k := fmt.Sprint("k", i)
			want[k] = k
			group.Go(func() {
				_, errs[i] = servers[i%2].UpdateNamespace(ctx, cause, journal.Namespace{"n"}, nil, map[string]string{k: k})
			})
		}
		group.Wait()
		must(t, errors.Join(errs...))
		now, err := p.Namespace(ctx, journal.Namespace{"n"})
		must(t, err)
		if !maps.Equal(want, now.Properties) {
			t.Error(cmp.Diff(want, now.Properties))
		}
		audit(t, g)
	})
}
