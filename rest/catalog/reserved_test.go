package catalog_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// A table that was recorded in a folder _puddle deeper in a warehouse, before such places
// were reserved, is loaded, changed, dropped and brought back. No new one goes there.
func TestCase141_RecordedBefore(t *testing.T) {
	p := fresh(t)
	folder := p.ground.url + "/nest/inner/_puddle"
	at := p.written(t, folder+"/t", "v1.metadata.json", "")
	_, err := p.register("t", at)
	refused(t, err, catalog.Invalid, "_puddle is reserved, at any depth")
	_, err = p.register("t", p.written(t, p.ground.url+"/t", "_puddle/v1.metadata.json", ""))
	refused(t, err, catalog.Invalid, "metadata-location", "_puddle is reserved, at any depth")
	_, err = p.CreateNamespace(ctx, cause, journal.Namespace{"m"}, map[string]string{"location": folder})
	refused(t, err, catalog.Invalid, "reserved")

	text, err := p.ground.files.Get(ctx, key(t, p.ground, at), 1<<20)
	must(t, err)
	d := read(t, text)
	_, err = p.recorder.Record(ctx, journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause,
		Body: journal.TableRegistered{Moves: [1]journal.Move{{Kind: journal.Table, UUID: uuid.MustParse(d.UUID), To: &journal.To{
			Identifier: id("t"), Location: d.Location, Places: []journal.Place{{Path: path(t, d.Location), Role: "location"}},
			Pointer: pointer(catalog.Table{MetadataLocation: at, Metadata: text}),
		}}}},
	})
	must(t, err)
	p.load(t, "t")
	_, err = p.commit(t, "t", "", set("k", "v"))
	must(t, err)
	_, err = p.repoint(catalog.Repoint{Identifier: id("t"), To: at, AllowRewind: true, Reason: "back"})
	must(t, errors.Join(err, p.DropTable(ctx, cause, id("t"), false)))
	_, err = p.undrop("t")
	must(t, err)
	p.load(t, "t")
}
