package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/pointers/sqlite"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// BenchmarkList walks through the pages of 100 of a namespace's tables, which lie in
// SQLite: what a page costs does not depend on how many there are, nor on where it is.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n, " tables"), func(b *testing.B) {
			handler := serveTables(b, n)
			token := ""
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", v1+"/namespaces/ns/tables?pageSize=100&pageToken="+url.QueryEscape(token), nil))
				var page struct {
					Next string `json:"next-page-token"`
				}
				answer{w.Result(), w.Body.Bytes()}.into(b, &page)
				token = page.Next
			}
		})
	}
}

// serveTables serves a namespace of so many tables that only the pointer tables know.
func serveTables(b *testing.B, n int) http.Handler {
	b.Helper()
	db, err := sqlite.Open(filepath.Join(b.TempDir(), "puddle.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	id := uuid.New()
	story := journaltest.NewStory(id)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range n {
		story.CreateTable(journal.Identifier{Namespace: journal.Namespace{"ns"}, Name: fmt.Sprintf("table_%06d", i)})
	}
	chain := journal.NewChain(id, journaltest.Incarnation(id), 0)
	events := make([]journal.Event, len(story.Drafts))
	for i, d := range story.Drafts {
		entry, next, err := chain.Next(d, journal.At(journaltest.Start))
		if err != nil {
			b.Fatal(err)
		}
		events[i], chain = entry.Event, next
	}
	if err := db.Warehouse(id).Apply(context.Background(), events...); err != nil {
		b.Fatal(err)
	}
	guard, err := access.NewGuard()
	if err != nil {
		b.Fatal(err)
	}
	tables := db.Warehouse(id)
	return New(Options{Access: guard, Warehouses: []Warehouse{{
		Name: "default", ID: id, State: tables, Catalog: catalog.New(catalog.Options{ID: id, Reader: tables}),
	}}})
}
