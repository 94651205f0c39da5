package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
	"puddle/journal"
)

func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestDefaultIsEverythingBelowPuddleData(t *testing.T) {
	t.Chdir(t.TempDir())
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	root := "file://" + wd + "/puddle-data/warehouse"
	location, err := warehouse.ParseLocation(root)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Server: Server{
			Addr: "127.0.0.1:8089", MaxBodyBytes: 64 << 20, MaxInflightBytes: 512 << 20,
			RequestTimeout: 60 * time.Second, ShutdownGrace: 20 * time.Second,
		},
		Logging: Logging{"info", "text"}, DataDir: "puddle-data",
		Journal:    Journal{"puddle-data/journal.db", "async", 16 << 20},
		Metastore:  Metastore{SQLite, "puddle-data/puddle.db", defaultPostgreSQL()},
		Warehouses: []Warehouse{{"default", Place{root, location}, nil, newS3(), Purge{PurgeServer, 24 * time.Hour}, 168 * time.Hour}},
		Metrics:    true, KeyLifetime: 30 * time.Minute,
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(warehouse.Location{})); diff != "" {
		t.Errorf("default configuration (-want +got):\n%s", diff)
	}
	empty, err := parse("empty.yaml", []byte("# nothing\n"), environment())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, empty, cmp.AllowUnexported(warehouse.Location{})); diff != "" {
		t.Errorf("an empty file is the default (-want +got):\n%s", diff)
	}
}

func TestEveryKeyIsTaken(t *testing.T) {
	c, err := parse("puddle.yaml", []byte(`
server:
  addr: "[::1]:9000"
  insecure: ${INSECURE}
  max-body-bytes: 1MiB
  max-inflight-bytes: 4194304
  request-timeout: 1m30s
  shutdown-grace: 5s
logging: {level: debug, format: json}
data-dir: $HOME_OF/data
journal: {path: j.db, archive: sync, max-document: 1KiB}
metastore: {type: sqlite, sqlite: {path: p.db}}
warehouses:
  b.2: {location: /w/b, allowed-locations: ["file:/more/b"]}
  a: {location: "file:///w/a", purge: {mode: ignore, grace: 0s}, drop: {keep: 1h30m}}
authn:
  tokens:
  - {name: etl, token: "${TOKEN}"}
  - {name: ci, token-sha256: `+journal.Sum([]byte("other")).String()+`}
metrics: {enabled: false}
idempotency: {lifetime: 36h}
`), environment("INSECURE", "true", "HOME_OF", "/srv", "TOKEN", "123$x"))
	if err != nil {
		t.Fatal(err)
	}
	place := func(url string) Place {
		l, err := warehouse.ParseLocation(url)
		if err != nil {
			t.Fatal(err)
		}
		return Place{url, l}
	}
	want := Config{
		Server:  Server{"[::1]:9000", true, 1 << 20, 4 << 20, 90 * time.Second, 5 * time.Second},
		Logging: Logging{"debug", "json"}, DataDir: "/srv/data",
		Journal: Journal{"j.db", "sync", 1024}, Metastore: Metastore{SQLite, "p.db", defaultPostgreSQL()},
		Warehouses: []Warehouse{
			{"b.2", place("/w/b"), []Place{place("file:/more/b")}, newS3(), Purge{PurgeServer, 24 * time.Hour}, 168 * time.Hour},
			{"a", place("file:///w/a"), nil, newS3(), Purge{PurgeIgnore, 0}, 90 * time.Minute},
		},
		Tokens:      []Token{{"etl", journal.Sum([]byte("123$x"))}, {"ci", journal.Sum([]byte("other"))}},
		KeyLifetime: 36 * time.Hour,
	}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(warehouse.Location{})); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if got := c.Warehouses[1].Root.Folder(); got != "/w/a" {
		t.Errorf("folder is %q", got)
	}
}

func TestDatabase(t *testing.T) {
	const url = "postgres://puddle:s3cr%20t@db.example.org/catalog?sslmode=verify-full"
	c, err := parse("puddle.yaml", []byte(`
journal: {path: "", archive: off}
metastore: {type: postgresql, sqlite: {path: }, postgresql: {url: "${PG_URL}", schema: lake_1, max-connections: "${PG_MAX}"}}
`), environment("PG_URL", url, "PG_MAX", "2"))
	if err != nil {
		t.Fatal(err)
	}
	want := Metastore{Postgres, "", PostgreSQL{url, "${PG_URL}", "lake_1", 2}}
	if c.Metastore != want || c.Journal.Path != "" {
		t.Errorf("metastore is %+v, the journal's path %q", c.Metastore, c.Journal.Path)
	}
}

func TestExposedDatabases(t *testing.T) {
	for url, want := range map[string][]string{
		"postgres://a@db.example.org/b?sslmode=verify-full":             nil,
		"postgres://a@db.example.org/b?sslmode=require":                 nil,
		"postgres://a@db.example.org/b":                                 {"db.example.org"}, // prefer: without, where the server has none
		"postgres://a@db.example.org/b?sslmode=disable":                 {"db.example.org"},
		"postgres://a@10.0.0.1,127.0.0.1/b?sslmode=disable":             {"10.0.0.1"},
		"postgres://a@localhost/b?sslmode=disable":                      nil,
		"postgres://a@/b?host=/run/postgresql":                          nil,
		"host=one.example.org,two.example.org dbname=b sslmode=disable": {"one.example.org", "two.example.org"},
	} {
		if diff := cmp.Diff(want, (PostgreSQL{URL: url}).Exposed()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
}

func TestLaterBlocksMaySayTheirDefaults(t *testing.T) {
	_, err := parse("puddle.yaml", []byte(`
server: {tls: {cert-file: "", key-file: }, public-url: ""}
journal: {archive: off}
metastore: {postgresql: {schema: puddle, max-connections: 10}}
warehouses:
  default:
    location: /w
    s3: {revalidate: 30s, remote-signing: {enabled: false}, vended-credentials: {enabled: false, duration-seconds: 3600}}
external-warehouses: {}
authn: {oidc: [], clients: , token-lifetime: 1h}
authz: {type: allow-authenticated, rules: [], opa: {timeout: 500ms}}
tracing: {otlp-endpoint: ""}
`), environment())
	if err != nil {
		t.Error(err)
	}
}

func TestVariables(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "$A": "1", "${A}": "1", "x${A}y$B-": "x1y$A-", "$$A": "$A", "$$$A": "$1", "$A$$": "1$", "": "",
	} {
		got, err := expand(in, environment("A", "1", "B", "$A"))
		if err != nil || got != want {
			t.Errorf("expand(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "absent.yaml"))
	if !os.IsNotExist(err) {
		t.Errorf("error is %v", err)
	}
}

// A variable is replaced after parsing: it cannot change the file's shape.
func TestVariableIsOneScalar(t *testing.T) {
	c, err := parse("puddle.yaml", []byte("data-dir: $DIR\n"), environment("DIR", "x\nserver: {insecure: true}"))
	if err == nil || c.Server.Insecure || !strings.Contains(err.Error(), "data-dir") {
		t.Errorf("configuration %+v, error %v", c, err)
	}
}
