package recover_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
)

// engineMade is a warehouse that an engine made, and every pointer change there was.
type engineMade struct {
	url    string
	store  *memory.Store
	uuids  map[warehouse.Location]uuid.UUID // of the metadata files that are there
	events []pointerEvent
	never  map[string]bool // files, below the warehouse, that no pointer ever named
}

// pointerEvent is a line of events.jsonl.
type pointerEvent struct {
	At       time.Time `json:"at"`
	Op       string    `json:"op"`
	Kind     string    `json:"kind"`
	NS       string    `json:"ns"`
	N        string    `json:"name"`
	OldNS    string    `json:"old_ns"`
	OldName  string    `json:"old_name"`
	Location string    `json:"loc"`
	Previous string    `json:"prev"`
}

// pointed is an object of a catalog after some events.
type pointed struct {
	kind     journal.ObjectKind
	id       uuid.UUID
	name     journal.Identifier
	location string
	at       time.Time
	seq      journal.Seq
	dropped  bool
}

func openEngineMade(t *testing.T, folder string) *engineMade {
	t.Helper()
	base := filepath.Join("../fixtures/warehouses", folder)
	made := &engineMade{url: "file:///tmp/puddle-corpus/" + folder, store: memory.New(), uuids: map[warehouse.Location]uuid.UUID{}, never: map[string]bool{}}
	top := filepath.Join(base, "warehouse")
	err := filepath.WalkDir(top, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(key, ".metadata.json") {
			made.uuids[location(t, made.url+"/"+key)] = uuidIn(t, data)
		}
		return made.store.Create(t.Context(), filepath.ToSlash(key), data)
	})
	if err != nil {
		t.Fatal(err)
	}
	made.readEvents(t, filepath.Join(base, "events.jsonl"))
	var truth struct {
		Never []string `json:"never-current"`
	}
	data, err := os.ReadFile(filepath.Join(base, "truth.json"))
	if err == nil {
		err = json.Unmarshal(data, &truth)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range truth.Never {
		made.never[key] = true
	}
	return made
}

func location(t *testing.T, url string) warehouse.Location {
	t.Helper()
	l, err := warehouse.ParseLocation(url)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func uuidIn(t *testing.T, data []byte) uuid.UUID {
	t.Helper()
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(z)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var ids struct {
		Table uuid.UUID `json:"table-uuid"`
		View  uuid.UUID `json:"view-uuid"`
	}
	if err := json.Unmarshal(data, &ids); err != nil {
		t.Fatal(err)
	}
	if ids.Table == uuid.Nil {
		return ids.View
	}
	return ids.Table
}

func (m *engineMade) readEvents(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var e pointerEvent
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		m.events = append(m.events, e)
	}
}

// after is what the catalog held after so many events: all objects that ever were,
// where two names of one uuid are two.
func (m *engineMade) after(t *testing.T, n int) []*pointed {
	t.Helper()
	var all []*pointed
	live := map[string]*pointed{}
	for i, e := range m.events {
		o := live[e.NS+"\x00"+e.N]
		switch e.Op {
		case "create":
			o = &pointed{kind: journal.ObjectKind(strings.ToLower(e.Kind)), id: uuid.NewSHA1(uuid.Nil, []byte(e.Location))}
			if i < n {
				all = append(all, o)
			}
		case "rename":
			o = live[e.OldNS+"\x00"+e.OldName]
			delete(live, e.OldNS+"\x00"+e.OldName)
		case "drop":
			delete(live, e.NS+"\x00"+e.N)
		}
		if e.Op != "drop" {
			live[e.NS+"\x00"+e.N] = o
			if id, there := m.uuids[location(t, e.Location)]; there {
				o.id = id // also by what is yet to come: early files may be gone
			}
		}
		if i >= n {
			continue
		}
		o.name = journal.Identifier{Namespace: strings.Split(e.NS, "."), Name: e.N}
		o.at, o.seq, o.dropped = e.At, journal.Seq(i+1), e.Op == "drop"
		if e.Op != "drop" {
			o.location = e.Location
		}
	}
	return all
}
