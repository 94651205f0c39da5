package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
)

// watched is a journal that tells how the documents were kept that it was given.
type watched struct {
	journal.Journal
	kept   []string
	bytes  int   // of all of them
	refuse error // what the next append with a document answers
}

func (w *watched) Append(ctx context.Context, entries ...journal.Entry) error {
	for _, e := range entries {
		for _, d := range e.Documents {
			if err := w.refuse; err != nil {
				w.refuse = nil
				return err
			}
			how := map[journal.Codec]string{journal.CodecWholeZstd: "whole", journal.CodecRaw: "file"}[d.Codec]
			if d.Codec == journal.CodecPatch {
				how = fmt.Sprint("patch ", d.Patches())
			}
			w.kept = append(w.kept, how)
			w.bytes += len(d.Data)
		}
	}
	return w.Journal.Append(ctx, entries...)
}

// want checks how documents were kept since the last look.
func (w *watched) want(t *testing.T, what string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.kept); diff != "" {
		t.Errorf("%s (-want +kept):\n%s", what, diff)
	}
	w.kept = nil
}

// watch looks at the journal of a ground.
func watch(g *ground) *watched {
	w := &watched{Journal: g.journal}
	g.journal = w
	return w
}

// bulky is a property that makes a document worth a patch, gzipped too.
var bulky = func() []string {
	var text []byte
	for n := range journal.MinPatched / 16 {
		text = fmt.Appendf(text, "%x", journal.Sum(fmt.Append(nil, n)))
	}
	return []string{"bulky", string(text)}
}()

// Commits keep what they change, in chains that end; the first after a start keeps
// all. Every document is the file (law 12).
func TestDocumentsArePatched(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		w := watch(g)
		p := g.start(t, nil)
		p.namespace(t, nil, "n")
		p.table(t, "t", "", bulky...)
		var want []string
		for n := range 2 * (journal.MaxPatches + 1) {
			if patches := n % (journal.MaxPatches + 1); patches > 0 {
				want = append(want, fmt.Sprint("patch ", patches))
			} else {
				want = append(want, "whole")
			}
			_, err := p.commit(t, "t", "", set("k", fmt.Sprint(n)))
			must(t, err)
		}
		w.want(t, "two chains", append(want, "whole")...)
		p.stop(t)

		g.journal = w.Journal
		g.reopen(t, false)
		w = watch(g)
		p = g.start(t, nil)
		defer p.stop(t)
		for range 2 {
			_, err := p.commit(t, "t", "", set("k", uuid.NewString()))
			must(t, err)
		}
		w.want(t, "after a start", "whole", "patch 1")
		audit(t, g)
	})
}

// Small documents and gzip files are kept as they were; a view's are patched.
func TestWhatIsPatched(t *testing.T) {
	g := inMemory(t, "")
	w := watch(g)
	p := running(t, g)
	p.namespace(t, nil, "n")
	commit := func(name string, pairs ...string) {
		t.Helper()
		_, err := p.commit(t, name, "", set(pairs...))
		must(t, err)
	}
	p.table(t, "small", "")
	commit("small", "k", "1")
	w.want(t, "a small table", "whole", "whole")
	p.table(t, "t", "", bulky...)
	commit("t", codec, "gzip")
	commit("t", "k", "1")
	commit("t", codec, "none")
	commit("t", "k", "2")
	w.want(t, "a table that is gzipped for a while", "whole", "file", "file", "patch 1", "patch 2")
	p.view(t, "v", "", bulky...)
	_, err := p.commitView(t, "v", "", set("k", "1"))
	must(t, err)
	w.want(t, "a view", "whole", "patch 1")
	must(t, p.RenameTable(ctx, cause, id("t"), id("u")))
	commit("u", "k", "3")
	w.want(t, "after a rename", "patch 3")
	commit("u", "more", strings.Repeat(bulky[1][:2000], 2))
	commit("u", "bulky", strings.ReplaceAll(bulky[1], "3", "x"))
	w.want(t, "much at once", "patch 4", "whole")
	audit(t, g)
}

// In a transaction every table is patched on its own.
func TestTransactionsArePatched(t *testing.T) {
	g := inMemory(t, "")
	w := watch(g)
	p := running(t, g)
	p.namespace(t, nil, "n")
	for _, name := range []string{"a", "b"} {
		p.table(t, name, "", bulky...)
	}
	w.want(t, "births", "whole", "whole")
	for n := range 3 {
		_, err := p.CommitTables(ctx, cause, change(t, "b", "", set("k", fmt.Sprint(n))), change(t, "a", "", set("k", fmt.Sprint(n))))
		must(t, err)
	}
	w.want(t, "transactions", "patch 1", "patch 1", "patch 2", "patch 2", "patch 3", "patch 3")
	audit(t, g)
}

// What was refused is tried again without its base, be the base why or not.
func TestRefusedPatchesAreKeptWhole(t *testing.T) {
	g := inMemory(t, "")
	w := watch(g)
	p := running(t, g)
	p.namespace(t, nil, "n")
	p.table(t, "t", "", bulky...)
	w.refuse = journal.ErrNoBase
	if _, err := p.commit(t, "t", "", set("k", "1")); !errors.Is(err, journal.ErrNoBase) {
		t.Error(err)
	}
	for range 2 {
		_, err := p.commit(t, "t", "", set("k", uuid.NewString()))
		must(t, err)
	}
	w.want(t, "after a refusal", "whole", "whole", "patch 1")
	audit(t, g)
}

// A second server's commit is no base, and neither is what it was made of.
func TestAnothersCommitIsNoBase(t *testing.T) {
	g := inMemory(t, "")
	w := watch(g)
	p := running(t, g)
	p.namespace(t, nil, "n")
	p.table(t, "t", "", bulky...)
	other := &process{Catalog: p.another(t, g.files), ground: g, recorder: p.recorder}
	for i, by := range []*process{p, other, p, p, other} {
		_, err := by.commit(t, "t", "", set("k", fmt.Sprint(i)))
		must(t, err)
	}
	w.want(t, "two servers", "whole", "patch 1", "whole", "whole", "patch 1", "whole")
	audit(t, g)
}
