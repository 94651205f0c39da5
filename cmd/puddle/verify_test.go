package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verified runs the command line and answers exit code and report.
func verified(t *testing.T, file string, args ...string) (int, string) {
	t.Helper()
	var out, logged bytes.Buffer
	s := &session{stdout: &out, stderr: &logged, stop: t.Context(), force: t.Context()}
	code := run(append([]string{"-c", file, "verify"}, args...), s)
	return code, out.String() + logged.String()
}

// TestVerifyTables changes a row of the pointer tables: it is found and named, and a
// repair makes them anew, keeps the old file, and has nothing to do again.
func TestVerifyTables(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "puddle.yaml")
	text := "data-dir: " + dir + "/d\nwarehouses: {default: {location: 'file://" + dir + "/w'}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := (&session{file: file}).config()
	if err != nil {
		t.Fatal(err)
	}
	n := served(t, c)
	n.answered(t, "POST", "/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	n.answered(t, "POST", "/api/catalog/v1/namespaces/n/tables", `{"name":"a","schema":{"type":"struct","fields":[]}}`)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", c.Metastore.SQLitePath)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE objects SET name = 'b'"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--level", "1"}, codeDone, "clean"},
		{nil, codeFindings, "pointer tables at "},
		{nil, codeFindings, "their identifier is"},
		{[]string{"--repair", "--dry-run"}, codeFindings, "they would be set aside"},
		{[]string{"--repair"}, codeDone, "what was there is kept as " + c.Metastore.SQLitePath + ".broken-"},
		{[]string{"--repair", "--level", "4"}, codeDone, "clean"},
	} {
		code, said := verified(t, file, step.args...)
		if code != step.code || !strings.Contains(said, step.says) {
			t.Errorf("verify %v: exit code %d, want %d with %q:\n%s", step.args, code, step.code, step.says, said)
		}
	}
}
