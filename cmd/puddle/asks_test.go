package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// read answers status and body.
func (r *running) read(path string) (int, string) {
	r.t.Helper()
	answer, err := http.Get(r.url(path))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// makeNamespaces makes some until one is refused or all are made, and answers the
// names that were acknowledged and the last status.
func (r *running) makeNamespaces(prefix string, n int) (made []string, status int) {
	r.t.Helper()
	for i := range n {
		name := fmt.Sprint(prefix, i)
		if status = r.post("/api/catalog/v1/namespaces", fmt.Sprintf(`{"namespace":[%q]}`, name)); status != http.StatusOK {
			return made, status
		}
		made = append(made, name)
	}
	return made, status
}

// wantNamespaces sees that exactly these are there.
func (r *running) wantNamespaces(want []string) {
	r.t.Helper()
	status, body := r.read("/api/catalog/v1/namespaces")
	for _, name := range want {
		if !strings.Contains(body, `["`+name+`"]`) {
			r.t.Errorf("%s is not there: %d", name, status)
		}
	}
	if got := strings.Count(body, `["`); got != len(want) {
		r.t.Errorf("%d namespaces are there, want %d: %d", got, len(want), status)
	}
}
