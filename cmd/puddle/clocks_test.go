package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
)

// astray is a machine's clock that is off.
type astray time.Duration

// Read implements recorder.Clock.
func (off astray) Read() journal.Instant { return journal.At(time.Now().Add(time.Duration(off))) }

// strays are replicas of one catalog whose machines' clocks are off by so much, and what
// their logs say. Purges have an hour of grace.
func strays(t *testing.T, off ...time.Duration) (nodes []*node, logs []*bytes.Buffer) {
	t.Helper()
	dir, database := t.TempDir(), postgrestest.Open(t)
	for i, d := range off {
		c, log := replica(t, dir, database, i, ""), &bytes.Buffer{}
		c.Warehouses[0].Purge.Grace = time.Hour
		if err := makeDataDir(c.DataDir); err != nil {
			t.Fatal(err)
		}
		n := newNode(c, zerolog.New(zerolog.SyncWriter(log)), serving, astray(d))
		if _, err := n.open(context.Background(), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		})
		nodes, logs = append(nodes, n), append(logs, log)
	}
	nodes[0].answered(t, "POST", "/api/catalog/v1/namespaces", `{"namespace":["a"]}`)
	nodes[0].answered(t, "POST", "/api/catalog/v1/namespaces/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	return nodes, logs
}

// A start tells of a clock that is not the database's, and of no other.
func TestAstrayIsTold(t *testing.T) {
	_, logs := strays(t, 2*time.Hour, 30*time.Second, -2*time.Hour)
	for i, want := range []string{`"ahead":"2h0m0s"`, "", `"ahead":"-2h0m0s"`} {
		told := strings.Contains(logs[i].String(), "clock of this machine")
		if told != (want != "") || !strings.Contains(logs[i].String(), want) {
			t.Errorf("replica %d: the log says %s", i, logs[i])
		}
	}
}

// A key is known as long as it says, on every replica, whatever clock its machine has
// (case 105).
func TestCase105_KeysOfReplicasAstray(t *testing.T) {
	nodes, _ := strays(t, -48*time.Hour, 48*time.Hour)
	w := nodes[0].warehouses[0]
	before := len(journaltest.Events(t, nodes[0].journal.Warehouse(w.id), 0))
	const rounds = 3
	for i := range rounds {
		key, first := uuid.Must(uuid.NewV7()).String(), ""
		for _, at := range []int{i, i + 1, i} { // of another one too, and again
			r := httptest.NewRequest("POST", "/api/catalog/v1/namespaces", strings.NewReader(fmt.Sprintf(`{"namespace":["n%d"]}`, i)))
			r.Header.Set("Idempotency-Key", key)
			answer := httptest.NewRecorder()
			nodes[at%2].handler.ServeHTTP(answer, r)
			if first == "" {
				first = answer.Body.String()
			}
			if answer.Code != 200 || answer.Body.String() != first {
				t.Errorf("round %d: %d %s, first %s", i, answer.Code, answer.Body, first)
			}
		}
	}
	if made := len(journaltest.Events(t, nodes[0].journal.Warehouse(w.id), 0)) - before; made != rounds {
		t.Errorf("%d requests made %d events", rounds, made)
	}
}

// No replica takes a purge for due before it is by the database's clock: the files stay, and
// each brings the table back.
func TestGraceOfReplicasAstray(t *testing.T) {
	nodes, _ := strays(t, 0, 2*time.Hour)
	for i, n := range nodes {
		n.answered(t, "DELETE", oneTable+"?purgeRequested=true", "")
		for _, other := range nodes {
			if status := other.answered(t, "GET", "/api/puddle/v1/status", ""); !strings.Contains(status, `"pending":1,"due":0`) {
				t.Errorf("dropped by %d: status %s", i, status)
			}
		}
		nodes[1-i].answered(t, "POST", "/api/puddle/v1/warehouses/default/undrop", `{"table":"a.t"}`)
		n.answered(t, "GET", oneTable, "")
	}
}

// What is the future every replica tells by the database's clock, and documents have its date.
func TestPointsOfReplicasAstray(t *testing.T) {
	nodes, _ := strays(t, 2*time.Hour, -2*time.Hour)
	for i, n := range nodes {
		now, err := n.asking()(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range map[time.Time]int{now: 200, now.Add(time.Hour): 400} {
			answer := httptest.NewRecorder()
			n.handler.ServeHTTP(answer, httptest.NewRequest("GET", "/api/puddle/v1/warehouses/default/state?at="+url.QueryEscape(at.Format(time.RFC3339Nano)), nil))
			if answer.Code != want {
				t.Errorf("replica %d, at %s: %d %s", i, at, answer.Code, answer.Body)
			}
		}
		if off := n.steady.now().Sub(now).Abs(); off > time.Minute {
			t.Errorf("replica %d dates documents %s off", i, off)
		}
		if off := n.clock.Read().Trusted.Sub(now).Abs(); off > time.Minute {
			t.Errorf("replica %d dates births %s off", i, off)
		}
	}
}
