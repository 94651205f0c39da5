package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// roles are all that a location of a table or view can be.
var roles = []string{"location", "write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path"}

// crossing is a route by which a location gets into a table or a view.
type crossing struct {
	name string
	try  func(role, location string) error
}

// crossings are all routes, on a catalog that must not write a thing: a location
// that is refused is refused before.
func crossings(t *testing.T, p *process) []crossing {
	t.Helper()
	p.table(t, "t", "")
	p.table(t, "other", "")
	p.view(t, "v", "")
	staged, err := p.StageTable(ctx, newTable("s", ""))
	must(t, err)
	c := p.over(t, func(op faulty.Op, key string) faulty.Fault {
		switch op {
		case faulty.Create, faulty.Put, faulty.Delete, faulty.MakeFolder:
			t.Errorf("%s %s", op, key)
		}
		return faulty.Fault{}
	})
	return append(registering(t, p, c), []crossing{
		{"create", func(role, location string) error {
			_, err := c.CreateTable(ctx, cause, withLocation(newTable("x", ""), role, location))
			return err
		}},
		{"staged create", func(role, location string) error {
			_, err := c.StageTable(ctx, withLocation(newTable("x", ""), role, location))
			return err
		}},
		{"commit of a staged create", func(role, location string) error {
			_, err := commitOver(t, c, cause, change(t, "s", assertCreate, births(t, staged)+","+moved(role, location)))
			return err
		}},
		{"commit", func(role, location string) error {
			_, err := commitOver(t, c, cause, change(t, "t", "", moved(role, location)))
			return err
		}},
		{"replace", func(role, location string) error {
			uuid := read(t, p.load(t, "t").Metadata).UUID
			_, err := commitOver(t, c, cause, change(t, "t", fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q}`, uuid), replaces+","+moved(role, location)))
			return err
		}},
		{"transaction", func(role, location string) error {
			_, err := c.CommitTables(ctx, cause, change(t, "other", "", set("k", "v")), change(t, "t", "", moved(role, location)))
			return err
		}},
		{"create view", func(role, location string) error {
			asked := withLocation(newTable("x", ""), role, location)
			view := newView("x", asked.Location)
			view.Properties = asked.Properties
			_, err := c.CreateView(ctx, cause, view)
			return err
		}},
		{"replace view", func(role, location string) error {
			_, err := commitViewOver(t, c, cause, "v", "", replace("select 2")+","+moved(role, location))
			return err
		}},
	}...)
}

// registering are the routes where the location is in a file that is there.
func registering(t *testing.T, p *process, c *catalog.Catalog) []crossing {
	t.Helper()
	home := p.ground.url + "/registered"
	table := tableText(home, `,"properties":{"k":"v"}`)
	present := p.load(t, "t")
	next := strings.Replace(table, read(t, []byte(table)).UUID, read(t, present.Metadata).UUID, 1)
	next = strings.Replace(next, `"properties":{`, fmt.Sprintf(`"metadata-log":[{"timestamp-ms":%d,"metadata-file":%q}],"properties":{`, epoch, present.MetadataLocation), 1)
	made := p.view(t, "registered", home, "k", "v")
	must(t, p.DropView(ctx, cause, id("registered")))
	return []crossing{
		{"register", func(role, location string) error {
			_, err := c.RegisterTable(ctx, cause, id("x"), p.filed(t, table, home, role, location), false)
			return err
		}},
		{"register over", func(role, location string) error {
			_, err := c.RegisterTable(ctx, cause, id("t"), p.filed(t, next, home, role, location), true)
			return err
		}},
		{"register view", func(role, location string) error {
			_, err := c.RegisterView(ctx, cause, id("x"), p.filed(t, string(made.Metadata), home, role, location))
			return err
		}},
	}
}

// filed puts a metadata file, of an object at home, where it can be registered but
// for a location that it names.
func (p *process) filed(t *testing.T, text, home, role, location string) string {
	t.Helper()
	file := "/metadata/" + uuid.NewString() + ".metadata.json"
	if role == "location" {
		text = strings.Replace(text, `"location":`+quoted(home), `"location":`+quoted(location), 1)
		below := trimmed(location) + file
		if l, err := warehouse.ParseLocation(location); err == nil && p.Roots.Check(l) == nil && p.put(below, text) == nil {
			return below
		}
	} else {
		text = strings.Replace(text, `"properties":{`, `"properties":{`+quoted(role)+":"+quoted(location)+",", 1)
	}
	at := home + file
	must(t, p.put(at, text))
	return at
}

// put writes a file that no command made, over what was there; to disk without the
// syncs that the store would make.
func (p *process) put(at, text string) error {
	root, key, err := p.Roots.Resolve(at)
	if err != nil {
		return err
	}
	folder, local := strings.CutPrefix(root.URL, "file://")
	if !local {
		return root.Store.Put(ctx, key, []byte(text))
	}
	if err := root.Store.(warehouse.Folders).CheckFolder(ctx, filepath.Dir(key)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(key)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, key), []byte(text), 0o600)
}

// replaces are updates as engines send them with CREATE OR REPLACE.
const replaces = `{"action":"remove-snapshot-ref","ref-name":"main"},{"action":"add-schema","schema":{"type":"struct","schema-id":0,"fields":[` +
	`{"id":3,"name":"other","required":false,"type":"long"}]}},{"action":"set-current-schema","schema-id":-1}`

func withLocation(t catalog.NewTable, role, location string) catalog.NewTable {
	if role == "location" {
		t.Location = location
	} else {
		t.Properties = map[string]string{role: location}
	}
	return t
}

// moved is the update that gives an object a location.
func moved(role, location string) string {
	if role == "location" {
		return `{"action":"set-location","location":` + quoted(location) + `}`
	}
	return set(role, location)
}

// namespaceCrossings are the routes of the location of a namespace.
func namespaceCrossings(p *process) []crossing {
	return []crossing{
		{"create namespace", func(_, location string) error {
			_, err := p.CreateNamespace(ctx, cause, journal.Namespace{"x"}, map[string]string{"location": location})
			return err
		}},
		{"update namespace", func(_, location string) error {
			_, err := p.UpdateNamespace(ctx, cause, journal.Namespace{"n"}, nil, map[string]string{"location": location})
			return err
		}},
	}
}
