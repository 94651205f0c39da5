package postgres_test

import (
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// spoils are damages at the seq $3 of an incarnation.
var spoils = map[journaltest.Spoil]string{
	journaltest.FlipRecord: `UPDATE events SET record = set_byte(record, 100, get_byte(record, 100) # 1)
		WHERE warehouse = $1 AND incarnation = $2 AND seq = $3`,
	journaltest.RemoveEvent: `DELETE FROM events WHERE warehouse = $1 AND incarnation = $2 AND seq = $3`,
	journaltest.FlipDocument: `UPDATE documents SET data = set_byte(data, length(data) - 1, get_byte(data, length(data) - 1) # 1)
		WHERE warehouse = $1 AND incarnation = $2 AND seq = $3 AND move = 0`,
	journaltest.EmptyDocument: `UPDATE documents SET data = '' WHERE warehouse = $1 AND incarnation = $2 AND seq = $3 AND move = 0`,
	journaltest.StrayDocument: `INSERT INTO documents SELECT warehouse, incarnation, $3 + (1 << 30), move, codec, data
		FROM documents WHERE warehouse = $1 AND incarnation = $2 AND seq = $3`,
	journaltest.ListElsewhere: `UPDATE events SET id = gen_random_uuid() WHERE warehouse = $1 AND incarnation = $2 AND seq = $3`,
	journaltest.FlipAnswers: `UPDATE requests SET answer = set_byte(answer, 20, get_byte(answer, 20) # 1)
		WHERE warehouse = $1 AND incarnation = $2 AND $3::bigint > 0`,
	journaltest.BehindHead: `UPDATE heads SET seq = e.seq, hash = e.hash FROM events e
		WHERE heads.warehouse = $1 AND e.warehouse = $1 AND e.incarnation = $2 AND e.seq = $3`,
}

func TestAudit(t *testing.T) {
	t.Parallel()
	journaltest.RunAudit(t, func(t *testing.T) (journal.Journal, func(uuid.UUID, journaltest.Spoil, ...journal.Seq) journal.Journal) {
		url := postgrestest.Open(t)
		return open(t, url), func(warehouse uuid.UUID, what journaltest.Spoil, seqs ...journal.Seq) journal.Journal {
			conn := connect(t, url+"&search_path="+postgres.DefaultSchema)
			for _, seq := range seqs {
				if _, err := conn.Exec(t.Context(), spoils[what], warehouse, journaltest.Incarnation(warehouse), int64(seq)); err != nil {
					t.Fatal(err)
				}
			}
			return openWith(t, postgres.Options{URL: url, ReadOnly: true})
		}
	})
}

// TestAuditFindsStrays: what is kept of nothing, and what says of a warehouse what is not
// so, is a flaw.
func TestAuditFindsStrays(t *testing.T) {
	t.Parallel()
	const other = `'00000000-aaaa-7222-8333-444444444444'`
	for what, sql := range map[string]string{
		"a head that is missing":                 `DELETE FROM heads`,
		"a head of no incarnation":               `UPDATE heads SET incarnation = ` + other,
		"a head of another time":                 `UPDATE heads SET at = at + 1`,
		"a head without a hash":                  `UPDATE heads SET hash = ''`,
		"no incarnation":                         `DELETE FROM incarnations`,
		"an incarnation that begins later":       `UPDATE incarnations SET first = 3`,
		"an incarnation without events":          `INSERT INTO incarnations SELECT warehouse, ` + other + `, 99 FROM heads`,
		"events above the head":                  `UPDATE events SET seq = seq + 100 WHERE seq = (SELECT seq FROM heads)`,
		"events of no incarnation":               `UPDATE events SET incarnation = ` + other + ` WHERE seq > 5`,
		"documents of no incarnation":            `UPDATE documents SET incarnation = ` + other,
		"documents before the first event":       `UPDATE documents SET seq = seq - 1000`,
		"documents of moves that made none":      `UPDATE documents SET move = move + 100`,
		"requests of no incarnation":             `UPDATE requests SET incarnation = ` + other,
		"requests that expire at another moment": `UPDATE requests SET until = until + 1`,
		"requests of odd keys":                   `UPDATE requests SET key = substring(key FOR 9)`,
		"an unknown hash":                        `UPDATE events SET prev = set_byte(prev, 3, get_byte(prev, 3) # 1) WHERE seq = 4`,
	} {
		t.Run(what, func(t *testing.T) {
			url := postgrestest.Open(t)
			db := open(t, url)
			s := journaltest.Chain(t, lake, 3)
			s.Append(t, db)
			exec(t, url, sql)
			found := 0
			_, err := db.Audit(t.Context(), lake, func(f journal.Flaw) {
				if f.Absent == nil {
					found++
				}
			})
			if err != nil || found == 0 {
				t.Errorf("found %d flaws, %v", found, err)
			}
		})
	}
}
