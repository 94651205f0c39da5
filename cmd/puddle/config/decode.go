package config

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// config decodes the whole file over the defaults.
func (d *decoder) config(root *yaml.Node, c *Config) {
	b := d.block("", root)
	d.server(b.block("server"), &c.Server)
	logging := b.block("logging")
	logging.choice("level", &c.Logging.Level, "debug", "info", "warn", "error")
	logging.choice("format", &c.Logging.Format, "text", "json")
	logging.end()
	b.text("data-dir", &c.DataDir)
	if c.DataDir == "" {
		b.fail("data-dir", "is empty")
	}
	d.journal(b.block("journal"), &c.Journal)
	d.metastore(b.block("metastore"), &c.Metastore)
	d.warehouses(b.block("warehouses"), c)
	d.external(b.block("external-warehouses"), c)
	d.authn(b.block("authn"), c)
	authz := b.block("authz")
	authz.only("type", "allow-authenticated", "rules", "opa")
	authz.later("rules", "[]")
	authz.later("opa", laterOPA)
	authz.end()
	metrics := b.block("metrics")
	metrics.flag("enabled", &c.Metrics)
	metrics.end()
	b.later("tracing", laterTracing)
	idempotency := b.block("idempotency")
	idempotency.duration("lifetime", &c.KeyLifetime)
	idempotency.end()
	b.end()
}

func (d *decoder) server(b *block, s *Server) {
	b.text("addr", &s.Addr)
	b.flag("insecure", &s.Insecure)
	b.later("tls", laterTLS)
	b.later("public-url", `""`)
	b.size("max-body-bytes", math.MaxInt64, &s.MaxBodyBytes)
	b.size("max-inflight-bytes", math.MaxInt64, &s.MaxInflightBytes)
	b.duration("request-timeout", &s.RequestTimeout)
	b.duration("shutdown-grace", &s.ShutdownGrace)
	b.end()
}

func (d *decoder) journal(b *block, j *Journal) {
	b.text("path", &j.Path)
	b.choice("archive", &j.Archive, "async", "sync", "off")
	b.size("max-document", journal.MaxDocumentBytes, &j.MaxDocument)
	b.end()
}

func (d *decoder) metastore(b *block, m *Metastore) {
	b.choice("type", &m.Type, SQLite, Postgres, Memory)
	sqlite := b.block("sqlite")
	sqlite.text("path", &m.SQLitePath)
	sqlite.end()
	d.postgreSQL(b.block("postgresql"), &m.PostgreSQL)
	b.end()
}

func (d *decoder) warehouses(b *block, c *Config) {
	for _, name := range append([]string(nil), b.names...) {
		key := join(b.key, name)
		if reason := badName(name); reason != "" {
			d.fail(key, "%s", reason)
		}
		w := newWarehouse(name)
		one := b.block(name)
		location := ""
		one.text("location", &location)
		one.texts("allowed-locations", func(key, value string) { w.Allowed = append(w.Allowed, d.place(key, value)) })
		d.s3(one.block("s3"), &w.S3)
		d.drops(one, &w)
		one.end()
		w.Root = d.place(join(key, "location"), location)
		c.Warehouses = append(c.Warehouses, w)
	}
}

// drops reads what becomes of dropped tables.
func (d *decoder) drops(b *block, w *Warehouse) {
	purge := b.block("purge")
	purge.choice("mode", &w.Purge.Mode, PurgeServer, PurgeIgnore, PurgeRefuse)
	purge.period("grace", &w.Purge.Grace)
	purge.end()
	drop := b.block("drop")
	drop.period("keep", &w.DropKeep)
	drop.end()
}

// place reads a storage URL. What is none is unread, and no place.
func (d *decoder) place(key, url string) Place {
	if !d.sound(key) {
		return Place{}
	}
	location, err := warehouse.ParseLocation(url)
	_, differs := location.Cut()
	switch {
	case url == "":
		d.fail(key, "is missing: a location like file:///var/lib/puddle/warehouse or s3://bucket/prefix")
	case err != nil:
		d.fail(key, "%v", err)
	case differs:
		d.fail(key, `%s: no root holds "?" or "#": to clients that end a path there everything below it would be one place`, url)
	default:
		return Place{url, location}
	}
	d.unread(key)
	return Place{}
}

func (d *decoder) authn(b *block, c *Config) {
	b.list("tokens", func(key string, n *yaml.Node) {
		token, ok := d.token(key, d.block(key, n))
		if !ok {
			d.unread(key)
			return
		}
		if slices.ContainsFunc(c.Tokens, func(t Token) bool { return t.Name == token.Name || t.SHA256 == token.SHA256 }) {
			d.fail(key, "has the name or the token of another")
		}
		c.Tokens = append(c.Tokens, token)
	})
	b.later("oidc", "[]")
	b.later("clients", "[]")
	b.later("token-lifetime", "1h")
	b.end()
}

func (d *decoder) token(key string, b *block) (Token, bool) {
	var t Token
	var token, digest string
	b.text("name", &t.Name)
	b.text("token", &token)
	b.text("token-sha256", &digest)
	b.end()
	switch {
	case !d.sound(key):
	case t.Name == "":
		d.fail(key, "has no name")
	case (token == "") == (digest == ""):
		d.fail(key, "needs one of token and token-sha256, not empty")
	case token != "":
		t.SHA256 = journal.Sum([]byte(token))
		return t, true
	default:
		var err error
		if t.SHA256, err = journal.ParseDigest(strings.ToLower(digest)); err != nil {
			b.fail("token-sha256", "must be 64 hexadecimal digits")
		} else if t.SHA256 == journal.Sum(nil) {
			b.fail("token-sha256", "is the digest of an empty token")
		}
		return t, err == nil
	}
	return t, false
}
