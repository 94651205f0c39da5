package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"puddle/cmd/puddle/config"
)

// loadConfig writes a configuration into a file and reads it; the server listens on any port.
func loadConfig(t *testing.T, file, text string) config.Config {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	c.Server.Addr = "127.0.0.1:0"
	return c
}

// send sends a request below the catalog's API with headers, each a name and its value.
func (r *running) send(method, path, body string, headers ...string) (status int, answer string) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.url("/api/catalog/v1/"+path), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer got.Body.Close()
	all, err := io.ReadAll(got.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return got.StatusCode, string(all)
}

// do sends a request that has to succeed.
func (r *running) do(method, path, body string) {
	r.t.Helper()
	if status, answer := r.send(method, path, body); status >= 300 {
		r.t.Errorf("%s %s: %d %s", method, path, status, answer)
	}
}
