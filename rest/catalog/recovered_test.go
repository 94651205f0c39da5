package catalog_test

import (
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// What a recovery brings back is what it was, or is refused, by the rules of register.
func TestRecoverObject(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		namespace, event := uuid.New(), uuid.Must(uuid.NewV7())
		n := projections.Namespace{ID: namespace, Name: journal.Namespace{"n"}, Properties: map[string]string{"owner": "ana"}}
		must(t, p.RecoverNamespace(ctx, cause, event, n))
		held, err := p.Namespace(ctx, n.Name)
		must(t, err)
		if e := last(t, g); held.ID != namespace || held.Properties["owner"] != "ana" || e.ID != event {
			t.Errorf("the namespace is %+v, by event %s", held, e.ID)
		}
		refused(t, p.RecoverNamespace(ctx, cause, uuid.Must(uuid.NewV7()), n), catalog.AlreadyExists, "n")

		at := p.written(t, g.url+"/t", "v7.metadata.json", "")
		object := uuid.MustParse(read(t, fileAt(t, g, at)).UUID)
		r := catalog.Recovered{Event: uuid.Must(uuid.NewV7()), Kind: journal.Table, UUID: object, Identifier: id("t"), MetadataLocation: at}
		for what, wrong := range map[string]func(*catalog.Recovered){
			"of another uuid": func(r *catalog.Recovered) { r.UUID = uuid.New() },
			"of a view":       func(r *catalog.Recovered) { r.Kind = journal.View },
			"of other bytes":  func(r *catalog.Recovered) { r.Pointer = journal.Pointer{SHA256: journal.Sum([]byte("other"))} },
			"outside":         func(r *catalog.Recovered) { r.MetadataLocation = "s3://other/t/metadata/v7.metadata.json" },
			"reserved":        func(r *catalog.Recovered) { r.MetadataLocation = g.url + "/_puddle/v7.metadata.json" },
		} {
			bad := r
			wrong(&bad)
			t.Run(what, func(t *testing.T) { refused(t, p.RecoverObject(ctx, cause, bad), catalog.Invalid, "metadata") })
		}
		must(t, p.RecoverObject(ctx, cause, r))
		if e := last(t, g); e.ID != r.Event || e.Kind() != journal.KindTableRegistered {
			t.Errorf("recorded %s %s", e.Kind(), e.ID)
		}
		refused(t, p.RecoverObject(ctx, cause, r), catalog.AlreadyExists, "n.t")
		audit(t, g)
	})
}
