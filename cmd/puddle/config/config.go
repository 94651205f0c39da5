package config

import (
	"cmp"
	"os"
	"path/filepath"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Config is a complete configuration: defaults are filled in, variables are
// replaced, rules are checked. Paths are as written, relative to the working
// directory.
type Config struct {
	Server     Server
	Logging    Logging
	DataDir    string
	Journal    Journal
	Metastore  Metastore
	Warehouses []Warehouse // in the order of the file; at least one
	Externals  []External  // in the order of the file
	Tokens     []Token
	Metrics    bool // GET /metrics answers
	// KeyLifetime is how long an Idempotency-Key is known: whole seconds, as
	// clients are told.
	KeyLifetime time.Duration
}

// Server is how puddle listens and what it takes.
type Server struct {
	Addr             string        // host:port
	Insecure         bool          // may listen beyond loopback without tokens
	MaxBodyBytes     int64         // of one request, inflated
	MaxInflightBytes int64         // of all requests in work
	RequestTimeout   time.Duration // of one request, the commit's last step excepted
	ShutdownGrace    time.Duration // how long requests under way may take when it stops
}

// Logging is what goes to stderr.
type Logging struct {
	Level  string // debug, info, warn, error
	Format string // text, json
}

// Journal is the journal.
type Journal struct {
	Path        string // of the embedded one; empty: it is in a database
	Archive     string // async, sync, off: as package archive names them
	MaxDocument int64  // compressed bytes; larger metadata files are recorded by digest only
}

// Metastore is where pointers are kept.
type Metastore struct {
	Type       string // sqlite, postgresql, memory
	SQLitePath string
	PostgreSQL PostgreSQL
}

// The types of metastore.
const (
	SQLite   = "sqlite"
	Postgres = "postgresql" // journal and pointers are in a database, for any number of replicas
	Memory   = "memory"     // journal and pointers are lost with the process
)

// Place is a storage URL as written and as compared.
type Place struct {
	URL      string
	Location warehouse.Location
}

// IsFolder tells whether a place is a folder of the file system.
func (p Place) IsFolder() bool { return p.Location.Family() == warehouse.FamilyFile }

// Folder is the path of a place that is a folder.
func (p Place) Folder() string { return filepath.Clean(p.Location.Path()) }

// Warehouse is one configured storage root and what else its tables may use.
type Warehouse struct {
	Name     string
	Root     Place
	Allowed  []Place
	S3       S3 // how those of its places are reached that are in an object store
	Purge    Purge
	DropKeep time.Duration // how long a dropped table can be undropped by name
}

// Places are all places of a warehouse, its own root first.
func (w Warehouse) Places() []Place { return append([]Place{w.Root}, w.Allowed...) }

// Purge is what becomes of the files of tables that are dropped with a purge.
type Purge struct {
	Mode  string        // server, ignore, refuse
	Grace time.Duration // from the drop until its files go; 0: at once
}

// The modes of a purge.
const (
	PurgeServer = "server" // the files go after the grace
	PurgeIgnore = "ignore" // the drop is one without a purge
	PurgeRefuse = "refuse" // such a drop is refused
)

// Token is a static bearer token, kept by its SHA-256 only.
type Token struct {
	Name   string
	SHA256 journal.Digest
}

// Default is the embedded configuration, what an empty file means.
func Default() (Config, error) { return parse("defaults", nil, os.LookupEnv) }

// Load reads a file. Variables come from the process's environment. What is
// wrong with the content is an [*Error]; other errors are of reading the file.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return parse(path, data, os.LookupEnv)
}

// parse reads a configuration from bytes; file is its name in errors.
func parse(file string, data []byte, env func(string) (string, bool)) (Config, error) {
	d := newDecoder(file, env)
	c := defaults()
	root, err := d.tree(data)
	if err != nil {
		return c, err
	}
	d.config(root, &c)
	d.complete(&c)
	d.rules(c)
	return c, d.err()
}

func defaults() Config {
	return Config{
		Server: Server{
			Addr: "127.0.0.1:8089", MaxBodyBytes: 64 << 20, MaxInflightBytes: 512 << 20,
			RequestTimeout: time.Minute, ShutdownGrace: 20 * time.Second,
		},
		Logging:   Logging{Level: "info", Format: "text"},
		DataDir:   "puddle-data",
		Journal:   Journal{Archive: "async", MaxDocument: journal.MaxDocumentBytes},
		Metastore: Metastore{Type: SQLite, PostgreSQL: defaultPostgreSQL()},
		Metrics:   true, KeyLifetime: 30 * time.Minute,
	}
}

// newWarehouse is a warehouse with the defaults of its keys.
func newWarehouse(name string) Warehouse {
	return Warehouse{Name: name, S3: newS3(), Purge: Purge{Mode: PurgeServer, Grace: 24 * time.Hour}, DropKeep: 7 * 24 * time.Hour}
}

// defaultFiles are the journal and the pointer tables of a data folder.
func defaultFiles(dataDir string) (history, tables string) {
	return filepath.Join(dataDir, "journal.db"), filepath.Join(dataDir, "puddle.db")
}

// complete fills in the defaults that follow from other keys.
func (d *decoder) complete(c *Config) {
	d.regions(c)
	history, tables := defaultFiles(c.DataDir)
	if c.Metastore.Type != Postgres { // which has no files
		c.Journal.Path = cmp.Or(c.Journal.Path, history)
		c.Metastore.SQLitePath = cmp.Or(c.Metastore.SQLitePath, tables)
	}
	if len(c.Warehouses) > 0 || !d.sound("warehouses", "data-dir") {
		return
	}
	root, err := filepath.Abs(filepath.Join(c.DataDir, "warehouse"))
	if err != nil {
		d.fail("warehouses", "the default warehouse has no absolute path: %v", err)
		return
	}
	place := d.place("warehouses", "file://"+root)
	w := newWarehouse("default")
	w.Root = place
	c.Warehouses = []Warehouse{w}
}
