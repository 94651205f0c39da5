package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
)

// frozen is where the bytes are that every later build must read (law 9). Files
// are added there and never changed.
const frozen = "../fixtures/formats/v1"

// wantFrozen compares bytes with a frozen file. One that is missing is written,
// for a look and a commit; one that is there is never written again.
func wantFrozen(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(frozen, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		defer f.Close()
		if _, err := f.Write(got); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s was missing and is written now", path)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-frozen +got):\n%s", path, diff)
	}
}

var (
	goldLake        = uuid.MustParse("6f3b1c52-9a0e-4d57-8f21-0c4de7a1b2c3")
	goldIncarnation = uuid.MustParse("0f9d2a64-1b7c-4e83-a5d6-7e8f9a0b1c2d")
	goldPond        = uuid.MustParse("b81e4f70-2c3d-4a5b-9e6f-1a2b3c4d5e6f")
	goldSales       = uuid.MustParse("4c7d9e10-5f6a-4b8c-9d0e-1f2a3b4c5d6e")
	goldOrders      = uuid.MustParse("a1b2c3d4-e5f6-4789-8abc-def012345678")
	goldItems       = uuid.MustParse("c0ffee00-1234-4567-89ab-cdef01234567")
	goldStart       = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// goldPointer is the pointer to version n of a table.
func goldPointer(table string, n int) journal.Pointer {
	return journal.Pointer{
		DocumentSHA256:   journal.Sum(goldDocument(table, n)),
		Encoding:         journal.EncodingNone,
		MetadataLocation: fmt.Sprintf("s3://lake/wh/sales/%s/metadata/%05d.metadata.json", table, n),
		SHA256:           journal.Sum(goldDocument(table, n)),
		Size:             int64(len(goldDocument(table, n))),
	}
}

func goldDocument(table string, n int) []byte {
	return fmt.Appendf(nil, `{"format-version":2,"location":"s3://lake/wh/sales/%s","last-sequence-number":%d}`, table, n)
}

func goldTo(table string, n int) *journal.To {
	return &journal.To{
		Identifier: journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: table},
		Location:   "s3://lake/wh/sales/" + table,
		Places:     []journal.Place{{Path: "//lake/wh/sales/" + table + "/", Role: "location"}},
		Pointer:    goldPointer(table, n),
	}
}

func goldFrom(table string, n int) *journal.From {
	to := goldTo(table, n)
	return &journal.From{Identifier: to.Identifier, Pointer: to.Pointer}
}

// gold is one frozen record: where it is, and what it says.
type gold struct {
	name   string
	before journal.Chain
	now    journal.Instant
	draft  journal.Draft
}

// goldTale is a history of frozen records in the making.
type goldTale struct {
	t     *testing.T
	id    string // of its events, but for their number
	chain journal.Chain
	all   []gold
}

func (g *goldTale) add(name string, now journal.Instant, cause journal.Cause, body journal.Body) {
	g.t.Helper()
	id := uuid.MustParse(fmt.Sprintf("%s%012d", g.id, len(g.all)+1))
	next := gold{name, g.chain, now, journal.Draft{Warehouse: g.chain.Warehouse, ID: id, Cause: cause, Body: body}}
	_, chain, err := g.chain.Next(next.draft, now)
	if err != nil {
		g.t.Fatal(err)
	}
	g.chain, g.all = chain, append(g.all, next)
}

// goldHistory is events of the first kinds, each following the one before.
func goldHistory(t *testing.T) []gold {
	t.Helper()
	tale := goldTale{t: t, id: "019ca9a4-0c00-7000-8000-", chain: journal.NewChain(goldLake, goldIncarnation, 0)}
	add, at := tale.add, goldAt
	ana := journal.Cause{Actor: journal.TokenActor("ana"), Origin: journal.OriginREST, RequestID: "req-2"}
	spark := journal.Cause{
		Actor: "oidc:https://id.example#42", Engine: "Apache-Spark/4.0.1 <\u00e9\u2028\"\\\n\x01>", Key: "0195-key", Origin: journal.OriginREST, RequestID: "req-5",
	}
	orders, items := goldTo("orders", 0), goldTo("items", 0)
	orders.Places = append(orders.Places, journal.Place{Path: "//lake/data/orders/", Role: "write.data.path"})
	items.Pointer.Encoding, items.Pointer.SHA256, items.Pointer.Size = journal.EncodingGzip, journal.Sum([]byte("gzip")), 99
	snapshot, largest := int64(4598286611352242712), int64(9223372036854775807)
	renamed := goldTo("orders", 1)
	renamed.Identifier.Name = "orders <2026> & \u00e9.e\u0301"

	add("incarnation-started", at(0), journal.Cause{Actor: journal.SystemActor("start"), Origin: journal.OriginCLI}, journal.IncarnationStarted{
		Build: "v0.1.0", Location: "s3://lake/wh", Name: "lake", Reason: "birth",
	})
	add("namespace-created", at(1), ana, journal.NamespaceCreated{
		ID: goldSales, Namespace: journal.Namespace{"sales"}, Properties: map[string]string{"owner": "ana", "Zone": "", "\U0001F986": "1", "\uFFFD": "2"},
	})
	add("namespace-updated", at(1), ana, journal.NamespaceUpdated{
		ID: goldSales, Namespace: journal.Namespace{"sales"}, Removed: []string{"Zone"}, Updated: map[string]string{"owner": "bo"},
	})
	add("table-created", at(2), spark, journal.TableCreated{Moves: [1]journal.Move{{
		Kind: journal.Table, UUID: goldOrders, To: orders, Updates: []string{"assign-uuid", "add-schema"},
	}}})
	add("tables-committed", at(3), spark, journal.TablesCommitted{Moves: []journal.Move{
		{Kind: journal.Table, UUID: goldOrders, From: goldFrom("orders", 0), To: goldTo("orders", 1), SnapshotID: &snapshot, Updates: []string{"add-snapshot", "set-snapshot-ref"}},
		{Kind: journal.Table, UUID: goldItems, To: items, SnapshotID: &largest},
	}})
	add("table-renamed", at(2), ana, journal.TableRenamed{Moves: [1]journal.Move{{ // the clock went back
		Kind: journal.Table, UUID: goldOrders, From: goldFrom("orders", 1), To: renamed,
	}}})
	dropped := journal.From{Identifier: renamed.Identifier, Pointer: renamed.Pointer}
	add("table-dropped", journal.Instant{Wall: goldStart.AddDate(73, 0, 0), Trusted: at(4).Trusted}, ana, journal.TableDropped{ // the clock jumped ahead
		Moves: [1]journal.Move{{Kind: journal.Table, UUID: goldOrders, From: &dropped}}, Purge: true,
	})
	add("namespace-dropped", at(5), journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginCLI}, journal.NamespaceDropped{
		ID: goldSales, Namespace: journal.Namespace{"sales"},
	})
	return append(tale.all, goldRecovered(tale.chain.Head))
}

// goldAt is a moment in the frozen histories.
func goldAt(seconds int) journal.Instant {
	return journal.At(goldStart.Add(time.Duration(seconds) * time.Second))
}

// goldRecovered is the start of an incarnation that has a parent.
func goldRecovered(parent journal.Position) gold {
	return gold{
		"incarnation-started-recovered", journal.NewChain(goldPond, goldIncarnation, 1_000_000), journal.At(goldStart.AddDate(0, 1, 0)),
		journal.Draft{
			Warehouse: goldPond, ID: uuid.MustParse("019d4a2c-7000-7000-8000-000000000001"),
			Cause: journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginRecover},
			Body:  journal.IncarnationStarted{Build: "v0.1.0", Location: "file:///srv/pond", Name: "pond", Parent: &parent, Reason: "recovered"},
		},
	}
}

// TestFrozenRecords: what this build writes is what the first one wrote, and it
// reads that as what it was.
func TestFrozenRecords(t *testing.T) {
	kinds := map[journal.Kind]bool{}
	for _, g := range slices.Concat(goldHistory(t), goldCoveHistory(t), goldBayHistory(t), goldDaleHistory(t), goldElmHistory(t)) {
		kinds[g.draft.Body.Kind()] = true
		t.Run(g.name, func(t *testing.T) {
			entry, _, err := g.before.Next(g.draft, g.now)
			if err != nil {
				t.Fatal(err)
			}
			wantFrozen(t, "record-"+g.name+".json", entry.Record)
			wantFrozen(t, "record-"+g.name+".txt", fmt.Appendf(nil, "prev %s\nhash %s\n", entry.Event.Prev, entry.Event.Hash))
			data, err := os.ReadFile(filepath.Join(frozen, "record-"+g.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := journal.Decode(entry.Event.Prev, data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entry.Event, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
	for _, kind := range journal.Kinds() {
		if !kinds[kind] {
			t.Errorf("no frozen record is of kind %s", kind)
		}
	}
}
