package main

import (
	"io"
	"net/http"
	"testing"
)

// A server is not ready while its pointer tables do not read.
func TestReadyLooksIntoTheTables(t *testing.T) {
	r := started(t, configured(t, t.TempDir(), ""))
	ready := func() int {
		answer, err := http.Get(r.url("/readyz"))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	if status := ready(); status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	if err := r.node.tables.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if status := ready(); status != http.StatusServiceUnavailable {
		t.Errorf("with tables that do not read: %d", status)
	}
	r.stop()
	<-r.ended // what it says of the tables that are closed is not asked
}
