package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"puddle/internal/postgrestest"
)

// TestVerifyBesideReplicas: who looks at a database, or makes its pointer tables anew, while
// replicas commit finds nothing that is not wrong, and is in nobody's way.
func TestVerifyBesideReplicas(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Open(t)
	one, two := started(t, replica(t, dir, url, 1, "")), started(t, replica(t, dir, url, 2, ""))
	one.make("", `{"namespace":["n"]}`)
	one.make("/n/tables", `{"name":"quiet","schema":{"type":"struct","fields":[]}}`)
	b := newBusy(one)
	for i := range b.told {
		b.wait.Go(func() { two.churn(b.stop, i) })
	}
	replica(t, dir, url, 3, "")
	b.until(5)
	report(t, filepath.Join(dir, "puddle3.yaml"), codeDone, "verify", "--level", "4") // by itself
	report(t, filepath.Join(dir, "puddle2.yaml"), codeDone, "verify", "--level", "4") // by a replica
	for _, file := range []string{"puddle3.yaml", "puddle2.yaml"} {
		execute(t, url, `UPDATE puddle.objects SET name = 'other' WHERE name = 'quiet'`)
		report(t, filepath.Join(dir, file), codeFindings, "verify", "--level", "2")
		report(t, filepath.Join(dir, file), codeDone, "verify", "--level", "2", "--repair")
		one.ask(http.MethodHead, "/api/catalog/v1/namespaces/n/tables/quiet", http.StatusNoContent)
		b.until(5)
	}
	close(b.stop)
	b.wait.Wait()
	one.stopped()
	two.stopped()
	report(t, filepath.Join(dir, "puddle3.yaml"), codeDone, "verify", "--level", "4")
}

// churn makes and drops a namespace, some hundred times or until it is stopped.
func (r *running) churn(stop chan struct{}, i int) {
	name := string(rune('a' + i))
	for range 300 {
		select {
		case <-stop:
			return
		default:
		}
		if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["`+name+`"]}`); status != http.StatusOK {
			r.t.Errorf("a namespace is answered with %d", status)
			return
		}
		r.ask(http.MethodDelete, "/api/catalog/v1/namespaces/"+name, http.StatusNoContent)
	}
}
