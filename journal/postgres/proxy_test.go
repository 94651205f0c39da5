package postgres_test

import (
	"testing"

	"puddle/internal/postgrestest"
)

// fault is what a proxy does to the next commit that comes by.
type fault = postgrestest.Fault

const (
	none       = postgrestest.Pass
	dropBefore = postgrestest.DropBefore
	dropAtOnce = postgrestest.DropAtOnce
	dropAfter  = postgrestest.DropAfter
)

// proxy stands between a journal and its server.
type proxy struct{ *postgrestest.Proxy }

// through starts a proxy before a database, and gives the URL that leads through it.
func through(t *testing.T, server *postgrestest.Cluster, direct string) (proxy, string) {
	t.Helper()
	p, err := server.Through()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	url, err := p.URL(direct)
	if err != nil {
		t.Fatal(err)
	}
	return proxy{p}, url
}

// set is what is done to the next commit; before is called when it has come, and has
// not gone on.
func (p proxy) set(f fault, before func()) {
	p.OnCommit(func() fault {
		p.OnCommit(nil)
		if before != nil {
			before()
		}
		return f
	})
}

// end cuts all connections, for good.
func (p proxy) end() {
	p.Admit(false)
	p.Cut()
}
