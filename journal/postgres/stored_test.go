package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestStoredBytesAreTheEmbeddedOnes: of one story both journals keep the same bytes.
func TestStoredBytesAreTheEmbeddedOnes(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	embedded, err := bolt.Open(filepath.Join(t.TempDir(), "journal.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	chain := journaltest.Chain(t, lake, journal.MaxPatches)
	for _, j := range []journal.Journal{db, embedded} {
		chain.Append(t, j)
	}
	want := journaltest.KeptEntries(t, embedded.Warehouse(lake), 0)
	conn := connect(t, url)
	rows, err := conn.Query(t.Context(), `SELECT seq, id, prev, hash, record FROM puddle.events WHERE warehouse = $1 AND incarnation = $2 ORDER BY seq`,
		lake, journaltest.Incarnation(lake))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; rows.Next(); n++ {
		var seq int64
		var id [16]byte
		var prev, hash, record []byte
		if err := rows.Scan(&seq, &id, &prev, &hash, &record); err != nil {
			t.Fatal(err)
		}
		e := want[n]
		if seq != int64(e.Event.Seq) || id != e.Event.ID || !bytes.Equal(prev, e.Event.Prev[:]) || !bytes.Equal(hash, e.Event.Hash[:]) || !bytes.Equal(record, e.Record) {
			t.Errorf("row %d is not the event %s: %s", seq, e.Event.Position, record)
		}
	}
	if n != len(want) {
		t.Errorf("%d rows, %d events", n, len(want))
	}
	wantStoredDocuments(t, conn, want)
}

func wantStoredDocuments(t *testing.T, conn *pgx.Conn, entries []journal.Entry) {
	t.Helper()
	var want, got []string
	for _, e := range entries {
		for _, d := range e.Documents {
			want = append(want, fmt.Sprintf("%d/%d: %d %x", e.Event.Seq, d.Move, d.Codec, d.Data))
		}
	}
	rows, err := conn.Query(t.Context(), `SELECT seq || '/' || move || ': ' || codec || ' ' || encode(data, 'hex') FROM puddle.documents ORDER BY seq, move`)
	if err == nil {
		got, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("documents: %v\n%s", err, diff)
	}
}

// damages are what could become of the rows of a warehouse, $1.
var damages = map[string]string{
	"a record":             `UPDATE events SET record = set_byte(record, 40, get_byte(record, 40) # 1) WHERE warehouse = $1 AND seq = 3`,
	"a hash":               `UPDATE events SET hash = set_byte(hash, 31, get_byte(hash, 31) # 1) WHERE warehouse = $1 AND seq = 3`,
	"a prev":               `UPDATE events SET prev = set_byte(prev, 0, get_byte(prev, 0) # 1) WHERE warehouse = $1 AND seq = 3`,
	"a short prev":         `UPDATE events SET prev = '' WHERE warehouse = $1 AND seq = 3`,
	"a missing event":      `DELETE FROM events WHERE warehouse = $1 AND seq = 3`,
	"a missing last event": `DELETE FROM events e USING heads h WHERE e.warehouse = $1 AND h.warehouse = $1 AND e.seq = h.seq`,
	"swapped events": `UPDATE events a SET record = b.record, prev = b.prev, hash = b.hash FROM events b
		WHERE a.warehouse = $1 AND b.warehouse = $1 AND (a.seq = 3 AND b.seq = 4 OR a.seq = 4 AND b.seq = 3)`,
	"another head":          `UPDATE heads SET hash = set_byte(hash, 0, get_byte(hash, 0) # 1) WHERE warehouse = $1`,
	"a short head":          `UPDATE heads SET hash = '' WHERE warehouse = $1`,
	"a missing incarnation": `DELETE FROM incarnations WHERE warehouse = $1`,
}

// TestCase155_DamagedRows: what is not as it was written is an error with its place,
// whichever way it is come to.
func TestCase155_DamagedRows(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	db := open(t, url)
	conn := connect(t, url+"&search_path="+postgres.DefaultSchema)
	for what, sql := range damages {
		t.Run(what, func(t *testing.T) {
			warehouse := uuid.New()
			chain := journaltest.Chain(t, warehouse, 5)
			chain.Append(t, db)
			if _, err := conn.Exec(t.Context(), sql, warehouse); err != nil {
				t.Fatal(err)
			}
			r := db.Warehouse(warehouse)
			for way, read := range map[string]func() error{
				"scan": func() error {
					for _, err := range r.Scan(t.Context(), 0) {
						if err != nil {
							return err
						}
					}
					return nil
				},
				"scan back": func() error {
					for _, err := range r.ScanBack(t.Context(), 0) {
						if err != nil {
							return err
						}
					}
					return nil
				},
			} {
				if err := read(); !isDamage(err) {
					t.Errorf("%s: %v", way, err)
				}
			}
		})
	}
}

func isDamage(err error) bool {
	_, ok := errors.AsType[*journal.Damage](err)
	return ok
}

// TestDamagedBeside: ids, documents and answers that are not as they were written are
// damage, and an answer in another's place too.
func TestDamagedBeside(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	chain := journaltest.Chain(t, lake, 2)
	chain.Append(t, db)
	kept := chain.Entries[len(chain.Entries)-1]
	var asked []journal.Answer
	for i := range 2 {
		asked = append(asked, journal.Answer{Status: 404, Request: journal.Request{
			Actor: journal.Anonymous, Key: fmt.Sprintf("%036d", i), Route: "GET /", Until: journaltest.Start.AddDate(1, 0, 0),
		}})
	}
	if err := db.Remember(t.Context(), lake, journaltest.Start, asked...); err != nil {
		t.Fatal(err)
	}
	exec(t, url,
		`UPDATE events SET id = gen_random_uuid() WHERE seq = 2`,
		`UPDATE documents SET data = set_byte(data, 20, get_byte(data, 20) # 1)`,
		`UPDATE requests a SET answer = b.answer FROM requests b WHERE a.key <> b.key AND a.answer LIKE '%`+asked[0].Key+`%'::bytea AND b.answer LIKE '%`+asked[1].Key+`%'::bytea`)
	r := db.Warehouse(lake)
	id := ask[[16]byte](t, url, `SELECT id FROM events WHERE seq = 2`)
	if _, _, err := r.Find(t.Context(), id); !isDamage(err) {
		t.Errorf("find: %v", err)
	}
	if _, err := r.Document(t.Context(), kept.Event.Seq, kept.Documents[0].Move); !isDamage(err) {
		t.Errorf("document: %v", err)
	}
	if _, _, err := r.Answered(t.Context(), asked[0].Actor, asked[0].Key, journaltest.Start); !isDamage(err) {
		t.Errorf("answered: %v", err)
	}
	if a, ok, err := r.Answered(t.Context(), asked[1].Actor, asked[1].Key, journaltest.Start); err != nil || !ok || a.Status != 404 {
		t.Errorf("the whole answer: %v, %v, %v", a, ok, err)
	}
}
