package main

import (
	"net/url"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
)

// inServer is kept in a database of a server, in which it has others with what was kept.
type inServer struct {
	catalogAt
	server *postgrestest.Cluster
	url    *url.URL
}

func newInServer(at catalogAt) inServer {
	at.Helper()
	server := postgrestest.Shared(at.T)
	u, err := url.Parse(postgrestest.Open(at.T))
	if err != nil {
		at.Fatal(err)
	}
	return inServer{at, server, u}
}

func (k inServer) name() string { return k.url.Path[1:] }

func (k inServer) configuration() string { return inPostgres(k.url.String()) }

func (k inServer) keep(name string) { k.server.Copy(k.T, k.name()+"_"+name, k.name()) }

func (k inServer) put(name string) { k.server.Copy(k.T, k.name(), k.name()+"_"+name) }

func (k inServer) execute(statements ...string) {
	k.Helper()
	execute(k.T, k.url.String(), statements...)
}

func (k inServer) loseAll() { k.execute(`DROP SCHEMA puddle CASCADE`) }

func (k inServer) loseJournal() {
	k.execute(`TRUNCATE puddle.heads, puddle.incarnations, puddle.events, puddle.documents, puddle.requests`)
}

func (k inServer) loseTables() {
	k.execute(`DROP TABLE puddle.pointers, puddle.cursor, puddle.namespaces, puddle.objects, puddle.places, puddle.purges, puddle.history, puddle.names`)
}

func (k inServer) tear() {
	k.execute(`UPDATE puddle.events SET record = overlay(record PLACING 'x' FROM 9) WHERE seq = 8`)
}

func (k inServer) journal() journal.Journal {
	j, err := journalpostgres.Open(k.Context(), journalpostgres.Options{URL: k.url.String(), ReadOnly: true, MaxConnections: 2})
	if err != nil {
		k.Fatal(err)
	}
	return j
}

// TestRecoverIsKilledOverADatabase is TestRecoverIsKilled of a catalog in a database: what
// the program says to it is said on a socket.
func TestRecoverIsKilledOverADatabase(t *testing.T) {
	strace := straced(t)
	kinds := map[string]int{"fsync,fdatasync,renameat,renameat2,linkat,unlinkat": 3, "write": 61}
	for _, l := range someLosses() {
		t.Run(l.what, func(t *testing.T) {
			t.Parallel()
			at := catalogAt{t, t.TempDir()}
			newKilling(t, l, at, newInServer(at)).everywhere(strace, kinds)
		})
	}
}
