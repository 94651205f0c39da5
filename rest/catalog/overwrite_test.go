package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/journal"
	"puddle/rest/catalog"
)

// overwrite puts a file in place of n.t's.
func (p *process) overwrite(at string) (catalog.Table, error) {
	return p.RegisterTable(ctx, cause, id("t"), at, true)
}

// later writes what another writer makes of a version: a next file whose log names
// the ones before it, as far as the entries go.
func (p *process) later(t *testing.T, of catalog.Table, file, property string, log ...string) string {
	t.Helper()
	var entries []string
	for _, at := range log {
		entries = append(entries, fmt.Sprintf(`{"timestamp-ms":%d,"metadata-file":%q}`, epoch, at))
	}
	text := string(of.Metadata)
	from := strings.Index(text, `"metadata-log":`)
	text = text[:from] + fmt.Sprintf(`"metadata-log":[%s]}`, strings.Join(entries, ","))
	text = strings.Replace(text, `"properties":{`, fmt.Sprintf(`"properties":{"from":%q,`, property), 1)
	return p.given(t, read(t, of.Metadata).Location+"/metadata/"+file, []byte(text))
}

// A descendant of the present file takes its place in one step, with both pointers
// in the event, and nothing is written.
func TestCase61_OverwriteByADescendant(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", g.url+"/t")
		now, err := p.append(t, "t", 7)
		must(t, err)
		other := strings.NewReplacer("s3://", "s3a://", "file:///", "file:/") // spellings, cases 25 and 27
		first := p.later(t, now, "00002-x.metadata.json", "first", other.Replace(now.MetadataLocation))
		// The log of the file to come does not reach back to the present one: the
		// oldest file in it does, by another.
		second := p.later(t, now, "00003-x.metadata.json", "second", first)
		third := p.later(t, now, "00004-x.metadata.json", "third", other.Replace(second))
		had := files(t, g)
		made, err := p.overwrite(third)
		must(t, err)
		if diff := cmp.Diff(had, files(t, g)); diff != "" || made.MetadataLocation != third {
			t.Errorf("at %s: %s", made.MetadataLocation, diff)
		}
		if diff := cmp.Diff(made, p.load(t, "t")); diff != "" || read(t, made.Metadata).Properties["from"] != "third" {
			t.Errorf("loaded: %s", diff)
		}
		m := last(t, g).Body.(journal.TableRegistered).Moves[0]
		if m.From.Pointer != pointer(now) || m.To.Pointer != pointer(made) || *m.SnapshotID != 7 {
			t.Errorf("the event: %+v", m)
		}
		events := len(audit(t, g))
		same, err := p.overwrite(third)
		must(t, err)
		if diff := cmp.Diff(made, same); diff != "" || len(audit(t, g)) != events {
			t.Errorf("the present file changed something: %s", diff)
		}
		_, err = p.append(t, "t", 8)
		must(t, err)
	})
}

func TestCase61_OverwriteIsRefused(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	old := p.table(t, "t", u+"/t")
	now, err := p.append(t, "t", 7)
	must(t, err)
	gone := u + "/t/metadata/gone.metadata.json"
	circle := u + "/t/metadata/circle.metadata.json"
	for what, at := range map[string]string{
		"an older file":   old.MetadataLocation,
		"a sibling":       p.later(t, now, "00001-x.metadata.json", "sibling", old.MetadataLocation),
		"no log":          p.later(t, now, "00002-x.metadata.json", "none"),
		"a file is gone":  p.later(t, now, "00003-x.metadata.json", "gap", gone),
		"a circle":        p.later(t, now, "circle.metadata.json", "circle", circle),
		"through another": p.later(t, now, "00004-x.metadata.json", "another", p.written(t, u+"/t", "v1.metadata.json", fmt.Sprintf(`,"metadata-log":[{"timestamp-ms":1,"metadata-file":%q}]`, now.MetadataLocation))),
	} {
		_, err := p.overwrite(at)
		t.Run(what, func(t *testing.T) {
			refused(t, err, catalog.AlreadyExists, "Table already exists: n.t", "descend", now.MetadataLocation)
		})
	}
	other := p.written(t, u+"/other", "v1.metadata.json", "")
	_, err = p.overwrite(other)
	refused(t, err, catalog.AlreadyExists, "Table already exists: n.t (its uuid is "+read(t, now.Metadata).UUID)
	p.view(t, "v", "")
	_, err = p.RegisterTable(ctx, cause, id("v"), other, true)
	refused(t, err, catalog.AlreadyExists, "View with same name already exists: n.v")
	if diff := cmp.Diff(now, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
	_, err = p.RegisterTable(ctx, cause, id("new"), other, true) // nothing to overwrite
	must(t, err)
	audit(t, p.ground)
}

// The present file may be gone: what descends from it mends the table.
func TestCase61_OverwriteMendsABrokenTable(t *testing.T) {
	p := fresh(t)
	now := p.table(t, "t", "")
	next := p.later(t, now, "00001-x.metadata.json", "mended", now.MetadataLocation)
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, now.MetadataLocation)))
	_, err := p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing)
	made, err := p.overwrite(next)
	must(t, err)
	if diff := cmp.Diff(made, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
}

// A commit that lands first makes the file none of its descendants.
func TestCase61_OverwriteAgainstACommit(t *testing.T) {
	p := fresh(t)
	now := p.table(t, "t", "")
	next := p.later(t, now, "00001-x.metadata.json", "late", now.MetadataLocation)
	options := p.Options
	options.Recorder = atRecord{p.recorder, func() {
		if p.load(t, "t").MetadataLocation == now.MetadataLocation {
			_, err := p.commit(t, "t", "", set("k", "v"))
			must(t, err)
		}
	}}
	_, err := catalog.New(options).RegisterTable(ctx, cause, id("t"), next, true)
	refused(t, err, catalog.AlreadyExists, "descend")
	if read(t, p.load(t, "t").Metadata).Properties["k"] != "v" {
		t.Error("the commit is lost")
	}
	fileAt(t, p.ground, next)
}
