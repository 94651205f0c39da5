package journal_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
)

var (
	goldCove            = uuid.MustParse("2d5e8c31-74a6-4f0b-b1c9-53e0a87f6d24")
	goldCoveIncarnation = uuid.MustParse("7be41f08-3a6d-4c52-8e97-d0c5b2a19f63")
	goldTop             = uuid.MustParse("5a0b3c9d-1e2f-4a7b-8c6d-9e0f1a2b3c4d")
)

// goldCoveHistory is events of views, and of tables that were registered.
func goldCoveHistory(t *testing.T) []gold {
	t.Helper()
	tale := goldTale{t: t, id: "019ca9a4-0c00-7000-9000-", chain: journal.NewChain(goldCove, goldCoveIncarnation, 0)}
	add, at := tale.add, goldAt
	trino := journal.Cause{Actor: "client:trino", Engine: "Trino/479", Key: goldKey, Origin: journal.OriginREST, RequestID: "req-9"}
	ana := journal.Cause{Actor: journal.TokenActor("ana"), Origin: journal.OriginREST, RequestID: "req-2"}
	view := func(from, to *journal.To, updates ...string) [1]journal.Move {
		m := journal.Move{Kind: journal.View, UUID: goldTop, To: to, Updates: updates}
		if from != nil {
			m.From = &journal.From{Identifier: from.Identifier, Pointer: from.Pointer}
		}
		return [1]journal.Move{m}
	}
	renamed := goldTo("top", 1)
	renamed.Identifier.Name = "best <2026> & \u00e9.e\u0301"
	add("incarnation-started-cove", at(0), journal.Cause{Actor: journal.SystemActor("start"), Origin: journal.OriginCLI}, journal.IncarnationStarted{
		Build: "v0.2.0", Location: "s3://lake/wh", Name: "cove", Reason: "birth",
	})
	add("namespace-created-cove", at(1), ana, journal.NamespaceCreated{ID: goldSales, Namespace: journal.Namespace{"sales"}})
	add("view-created", at(2), trino, journal.ViewCreated{Moves: view(nil, goldTo("top", 0), "assign-uuid", "add-view-version")})
	add("view-replaced", at(3), ana, journal.ViewReplaced{Moves: view(goldTo("top", 0), goldTo("top", 1), "add-view-version", "set-current-view-version")})
	add("view-renamed", at(4), ana, journal.ViewRenamed{Moves: view(goldTo("top", 1), renamed)})
	add("view-dropped", at(5), ana, journal.ViewDropped{Moves: view(renamed, nil)})
	add("view-registered", at(6), ana, journal.ViewRegistered{Moves: view(nil, goldTo("top", 1))})
	add("table-registered", at(7), ana, journal.TableRegistered{Moves: [1]journal.Move{{Kind: journal.Table, UUID: goldOrders, To: goldRegistered(t)}}})
	over := journal.From{Identifier: goldRegistered(t).Identifier, Pointer: goldRegistered(t).Pointer}
	add("table-registered-over", at(8), ana, journal.TableRegistered{Moves: [1]journal.Move{{
		Kind: journal.Table, UUID: goldOrders, From: &over, To: goldTo("orders", 1),
	}}})
	add("table-unregistered", at(9), ana, journal.TableUnregistered{Moves: [1]journal.Move{{
		Kind: journal.Table, UUID: goldOrders, From: goldFrom("orders", 1),
	}}})
	bound := goldAnswers()["answer-event.txt"].Request
	tale.all[2].draft.Request = &bound
	return tale.all
}

const goldKey = "019ca9a4-0c00-7abc-8def-0123456789ab"

// goldAnswers are the frozen answers: of the request that created the view, and
// two that made no event.
func goldAnswers() map[string]journal.Answer {
	r := journal.Request{
		Actor: "client:trino", Key: goldKey, Route: "POST /v1/cove/namespaces/sales/views", Body: journal.Sum([]byte(`{"name":"top"}`)),
		Until: goldStart.Add(30 * time.Minute),
	}
	conflict, nothing := r, r
	conflict.Actor, conflict.Route = "anonymous", "POST /v1/cove/namespaces/\u00e9%20\"/tables"
	nothing.Key, nothing.Until = goldKey+" <2>\n", r.Until.Add(time.Millisecond)
	return map[string]journal.Answer{
		"answer-event.txt": {Request: r, Seq: 3},
		"answer-body.txt":  {Request: conflict, Status: 409, Body: []byte("{\"error\":{\"message\":\"Table already exists: \u00e9\",\n\"code\":409}}")},
		"answer-bare.txt":  {Request: nothing, Status: 204},
	}
}

// TestFrozenAnswers: what a journal keeps of a request is read for ever.
func TestFrozenAnswers(t *testing.T) {
	for name, want := range goldAnswers() {
		data, err := journal.EncodeAnswer(want)
		if err != nil {
			t.Fatal(err)
		}
		wantFrozen(t, name, data)
		if data, err = os.ReadFile(filepath.Join(frozen, name)); err != nil {
			t.Fatal(err)
		}
		got, err := journal.DecodeAnswer(data)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v (-written +read):\n%s", name, err, diff)
		}
	}
}

// goldRegistered is a table whose file is the frozen gzip file.
func goldRegistered(t *testing.T) *journal.To {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(frozen, "document-raw.gz"))
	if err != nil {
		t.Fatal(err)
	}
	to := goldTo("orders", 0)
	to.Pointer.Encoding, to.Pointer.SHA256, to.Pointer.Size = journal.EncodingGzip, journal.Sum(file), int64(len(file))
	return to
}

// TestFrozenDocuments: a document that was kept once inflates for ever.
func TestFrozenDocuments(t *testing.T) {
	plain := goldDocument("orders", 0)
	wantFrozen(t, "document-whole-zstd.json", plain)
	for name, codec := range map[string]journal.Codec{"document-whole-zstd.zst": journal.CodecWholeZstd, "document-raw.gz": journal.CodecRaw} {
		data, err := os.ReadFile(filepath.Join(frozen, name))
		if err != nil {
			t.Fatal(err)
		}
		e := journal.Event{Body: journal.TableCreated{Moves: [1]journal.Move{{To: goldTo("orders", 0)}}}}
		got, err := journal.Shelf(func(journal.Seq, int) (journal.Event, journal.Document, error) {
			return e, journal.Document{Codec: codec, Data: data}, nil
		}).Open(0, 0)
		if err != nil || string(got) != string(plain) {
			t.Errorf("%s opens as %q, %v", name, got, err)
		}
	}
}
