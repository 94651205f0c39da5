package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// damages are rows of a journal that are not what was written.
var damages = map[string]string{
	"a record":             `UPDATE puddle.events SET record = overlay(record PLACING 'x' FROM 9) WHERE seq = 8`,
	"a hash":               `UPDATE puddle.events SET hash = sha256('x') WHERE seq = 8`,
	"a link":               `UPDATE puddle.events SET prev = sha256('x') WHERE seq = 8`,
	"an event is gone":     `DELETE FROM puddle.events WHERE seq = 8`,
	"the last is gone":     `DELETE FROM puddle.events WHERE seq = (SELECT max(seq) FROM puddle.events)`,
	"all events are gone":  `DELETE FROM puddle.events`,
	"the head's hash":      `UPDATE puddle.heads SET hash = sha256('x')`,
	"the head is cut":      `UPDATE puddle.heads SET hash = 'x'`,
	"the head is beyond":   `UPDATE puddle.heads SET seq = seq + 1`,
	"the head is gone":     `DELETE FROM puddle.heads`,
	"no incarnations":      `DELETE FROM puddle.incarnations`,
	"a document":           `UPDATE puddle.documents SET data = 'x' WHERE seq = 8`,
	"documents are gone":   `DELETE FROM puddle.documents`,
	"the birth is no more": `DELETE FROM puddle.events WHERE seq = 1`,
}

// TestRecoverDamagedRows: whatever row of the journal is damaged, verify says so, and a
// recovery brings the whole catalog back, with the archive's help.
func TestRecoverDamagedRows(t *testing.T) {
	at := catalogAt{t, t.TempDir()}
	k := newInServer(at)
	lived(t, at.dir, "journal: {archive: async}\n"+k.configuration(), func() {})
	k.keep(lost)
	at.copied(lostWarehouse, "w")
	want := k.catalog()
	most := len(damages)
	if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" {
		most = (most + 1) / 2 // a sample, another one each time
	}
	for what, sql := range damages {
		if most--; most < 0 {
			break
		}
		k.put(lost)
		at.copied("w", lostWarehouse)
		k.execute(sql)
		if code, out := ran(t, at.dir, "verify"); code == codeDone && what != "documents are gone" {
			t.Errorf("%s: verify finds nothing: %s", what, out)
		}
		var said bytes.Buffer
		s := &session{stdout: &said, stderr: &said, stop: t.Context(), force: t.Context()}
		code := run([]string{"-c", at.at("puddle.yaml"), "recover"}, s)
		if diff := cmp.Diff(want, k.catalog()); diff != "" {
			t.Errorf("%s: exit code %d: %s%s", what, code, said.String(), diff)
			continue
		}
		if code, out := ran(t, at.dir, "verify"); code != codeDone && what != "a document" {
			t.Errorf("%s: after the recovery: %d: %s", what, code, out)
		}
	}
}

// catalog is what the journal says of it, or that it says nothing.
func (k inServer) catalog() []string {
	k.Helper()
	j := k.journal()
	defer j.Close()
	if ids, err := j.Warehouses(k.Context()); err != nil || len(ids) != 1 {
		return []string{fmt.Sprint(ids, err)}
	}
	catalog, _ := heldIn(k.T, j)
	return catalog
}
