package recover_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

const storage = "file:///w/lake"

func rootsOf(stores ...warehouse.Store) (roots warehouse.Roots) {
	for i, url := range []string{storage, "s3://b/lake"}[:len(stores)] {
		l, err := warehouse.ParseLocation(url)
		if err != nil {
			panic(err)
		}
		roots = append(roots, warehouse.Root{URL: url, Location: l, Store: stores[i]})
	}
	return roots
}

func (o *lived) key(v *version) string {
	if v.gzipped {
		return o.folder + "/" + v.name + ".gz.metadata.json"
	}
	return o.folder + "/" + v.name + ".metadata.json"
}

// at spells a file's location in one of the ways there are.
func (o *lived) at(v *version, spelling int) string {
	return []string{"file:///w/lake/", "file:/w/lake/", "/w/lake/"}[spelling] + o.key(v)
}

// text is what is in a file.
func (o *lived) text(v *version) []byte {
	id := o.id.String()
	if v.stranger {
		id = strings.Replace(id, "-0000-", "-ffff-", 1)
	}
	if v.loud {
		id = strings.ToUpper(id)
	}
	var b bytes.Buffer
	switch {
	case o.kind == journal.View:
		fmt.Fprintf(&b, `{"format-version":1,"view-uuid":%q,"location":"%s/x","version-log":[{"timestamp-ms":%d,"version-id":1}],"versions":[{"metadata-log":[1]}]}`, id, storage, v.at.UnixMilli())
		return b.Bytes()
	case v.bare:
		fmt.Fprintf(&b, `{"format-version":1,"location":"%s/x","last-updated-ms":%d}`, storage, v.at.UnixMilli())
		return b.Bytes()
	}
	fmt.Fprintf(&b, `{"schemas":[{"table-uuid":"no"}],"last-updated-ms":%d,"metadata-log":[`, v.at.UnixMilli())
	for i, before := range v.log {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"timestamp-ms":1,"metadata-file":%q}`, o.at(before, v.spelling))
	}
	fmt.Fprintf(&b, `],"location":"%s/x","properties":{},"table-uuid":%q,"format-version":2}`, storage, id)
	return b.Bytes()
}

// sidecarOf is what the sidecar of an object says.
func (o *lived) sidecarOf() sidecars.Object {
	s := o.states[o.sidecar]
	said := sidecars.Object{
		Kind: o.kind, Warehouse: "a", Identifier: s.name, UUID: o.id, Location: storage + "/x", MetadataLocation: o.at(s.current, int(s.seq)%3),
		State: sidecars.Active, UpdatedAt: s.at, Extras: sidecars.Extras{WarehouseID: uuid.UUID{1}, Incarnation: uuid.UUID{2}, Seq: s.seq, EventID: uuid.UUID{3}},
	}
	if s.dropped {
		said.State = sidecars.Dropped
	}
	for _, v := range s.abandoned {
		said.Abandoned = append(said.Abandoned, o.at(v, int(s.seq+1)%3))
	}
	for _, v := range o.unconfirmed {
		said.Unconfirmed = append(said.Unconfirmed, sidecars.Unconfirmed{Location: o.at(v, int(s.seq+2)%3)})
	}
	return said
}

// store is the warehouse.
func (s *scenario) store() (*memory.Store, error) {
	store, ctx := memory.New(), context.Background()
	for _, o := range s.objects {
		for _, v := range o.files {
			if v.deleted {
				continue
			}
			data := o.text(v)
			if v.gzipped {
				data = zipped(data)
			}
			if err := store.Create(ctx, o.key(v), data); err != nil {
				return nil, err
			}
		}
		if o.sidecar < 0 {
			continue
		}
		data, err := sidecars.Encode(o.sidecarOf())
		if err != nil {
			return nil, err
		}
		if err := store.Create(ctx, sidecars.Key(o.id), data); err != nil {
			return nil, err
		}
	}
	return store, litter(store, s.junk)
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// hostile are files that somebody with access to the bucket may leave: what each of
// them is called, and what is in it. No object is lost by any.
func hostile() [][2]string {
	id := func(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }
	sidecar := func(i int, at, namespace string) [2]string {
		return [2]string{sidecars.Folder + "/" + id(i) + ".json", fmt.Sprintf(
			`{"format-version":1,"kind":"table","warehouse":"a","identifier":{"namespace":%s,"name":"hostile%d"},"uuid":%q,"location":%q,"metadata-location":%q,"state":"active","updated-at-ms":1790000000000}`,
			namespace, i, id(i), at, at+"/metadata/v1.metadata.json")}
	}
	return [][2]string{
		sidecar(1, "file:///etc", `["n"]`),
		sidecar(2, "file:///w/lake/../secret", `["n"]`),
		sidecar(3, "file:///w/lake/_puddle/catalog", `["n"]`),
		sidecar(4, "file:///w/lake/a", `["a",""]`),
		{sidecars.Folder + "/" + id(5) + ".json", `{"format-version":1,"kin`},
		{"n/t/metadata/00099-torn.metadata.json", `{"format-version":2,"table-uuid":"`},
	}
}

func litter(store *memory.Store, junk int) error {
	for _, file := range hostile()[:junk] {
		if err := store.Create(context.Background(), file[0], []byte(file[1])); err != nil {
			return err
		}
	}
	return nil
}

// evidences are all that is left of the scenario.
func (s *scenario) evidences(store warehouse.Store) recover.Evidences {
	e := recover.Evidences{Roots: rootsOf(store), Name: "a"}
	if !s.archive {
		return e
	}
	e.Proven = func(_ context.Context, id uuid.UUID) (func(warehouse.Location) bool, bool, error) {
		for _, o := range s.objects {
			if o.id == id {
				return namedBy(o.committed()), true, nil
			}
		}
		return nil, false, nil
	}
	for _, o := range s.objects {
		for _, v := range o.files {
			if end := v.at.AddDate(0, 0, 1); end.After(e.ProvenUntil) {
				e.ProvenUntil = end
			}
		}
	}
	return e
}

// namedBy tells which files are those of locations in any spelling.
func namedBy(spelled map[string]bool) func(warehouse.Location) bool {
	all := map[warehouse.Location]bool{}
	for at := range spelled {
		if l, err := warehouse.ParseLocation(at); err == nil {
			all[l] = true
		}
	}
	return func(at warehouse.Location) bool { return all[at] }
}

func (o *lived) committed() map[string]bool {
	named := map[string]bool{}
	for _, v := range o.files {
		if v.committed {
			named[o.at(v, v.spelling)] = true
		}
	}
	return named
}
