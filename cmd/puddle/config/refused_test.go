package config

import (
	"errors"
	"strings"
	"testing"
)

// Each file is refused with exactly these lines.
var refused = []struct{ name, file, want string }{
	{"unknown key", "server:\n  adr: x\n", "c:2: server.adr: unknown key; did you mean addr?"},
	{"unknown block", "srever: {}\n", "c:1: srever: unknown key; did you mean server?"},
	{"duplicate key", "data-dir: a\nlogging: {}\ndata-dir: b\n", "c:3: data-dir: set twice, first in line 1"},
	{"duplicate in a block", "server:\n  addr: a:1\n  addr: b:1\n", "c:3: server.addr: set twice, first in line 2"},
	{"duplicate warehouse", "warehouses:\n  a: {location: /a}\n  a: {location: /b}\n", "c:3: warehouses.a: set twice, first in line 2"},
	{"number for text", "data-dir: 7\n", "c:1: data-dir: must be text (in quotes, if it is a number or a word like true)"},
	{"list for block", "server: [a]\n", "c:1: server: must be a block of keys"},
	{"block for text", "server:\n  addr: {a: b}\n", "c:2: server.addr: must be text (in quotes, if it is a number or a word like true)"},
	{"text for flag", "server: {insecure: yes please}\n", `c:1: server.insecure: must be true or false, not "yes please"`},
	{"block for list", "authn: {tokens: {a: b}}\n", "c:1: authn.tokens: must be a list"},
	{"bad size", "server: {max-body-bytes: 64MB}\n", `c:1: server.max-body-bytes: must be a size like 1048576 or 64MiB, above zero, not "64MB"`},
	{"huge size", "journal: {max-document: 17MiB}\n", "c:1: journal.max-document: 17MiB is over the limit of 16777216 bytes"},
	{"overflowing size", "server: {max-inflight-bytes: 9000000000GiB}\n", "c:1: server.max-inflight-bytes: 9000000000GiB is over the limit of 9223372036854775807 bytes"},
	{"bad duration", "server: {request-timeout: 60}\n", "c:1: server.request-timeout: must be a duration like 30s or 1h30m"},
	{"part of a second", "idempotency: {lifetime: 1500ms}\n", "c:1: idempotency.lifetime: must be whole seconds, not 1.5s"},
	{"negative duration", "server: {shutdown-grace: -1s}\n", `c:1: server.shutdown-grace: must be a duration like 30s or 1h30m, above zero, not "-1s"`},
	{"bad choice", "logging: {level: loud}\n", `c:1: logging.level: must be one of debug, info, warn, error, not "loud"`},
	{"no YAML", "data-dir: a\nserver:\n  addr: b: c\n", "c:3: not YAML: mapping values are not allowed in this context"},
	{"two documents", "data-dir: a\n---\ndata-dir: b\n", "c: not YAML: the file holds more than one document"},
	{"unset variable", "data-dir: a\nserver:\n  addr: ${ADDR}\n", "c:3: server.addr: the environment variable ADDR is not set"},
	{"lone dollar", "data-dir: a$\n", "c:1: data-dir: a dollar begins no variable; $$ is a literal dollar"},
	{"address", "server: {addr: localhost}\n", `c:1: server.addr: must be host:port, not "localhost"`},
	{"port", "server: {addr: 'localhost:65536'}\n", `c:1: server.addr: must end in a port from 0 to 65535, not "65536"`},
	{"warehouse name", "warehouses: {Default: {location: /a}}\n", "c:1: warehouses.Default: a warehouse's name is 1 to 63 of a-z, 0-9, dot, underscore and hyphen, and begins with a letter or digit"},
	{"reserved name", "warehouses: {tables: {location: /a}}\n", "c:1: warehouses.tables: no warehouse may have this name: it is part of a route"},
	{"no location", "warehouses:\n  a:\n    drop:\n", "c:2: warehouses.a.location: is missing: a location like file:///var/lib/puddle/warehouse or s3://bucket/prefix"},
	{"relative location", "warehouses: {a: {location: w/x}}\n", `c:1: warehouses.a.location: warehouse: invalid location: "w/x" is not an absolute path`},
	{"purge mode", "warehouses:\n  a:\n    location: /a\n    purge:\n      mode: never\n", `c:5: warehouses.a.purge.mode: must be one of server, ignore, refuse, not "never"`},
	{"number for a grace", "warehouses: {a: {location: /a, purge: {grace: 0}}}\n", "c:1: warehouses.a.purge.grace: must be a duration like 0s, 30m or 24h"},
	{"negative grace", "warehouses: {a: {location: /a, purge: {grace: -1s}}}\n", `c:1: warehouses.a.purge.grace: must be a duration like 0s, 30m or 24h, not "-1s"`},
	{"days", "warehouses:\n  a:\n    location: /a\n    drop: {keep: 7d}\n", `c:4: warehouses.a.drop.keep: must be a duration like 0s, 30m or 24h, not "7d"`},
	{"long keep", "warehouses: {a: {location: /a, drop: {keep: 87601h}}}\n", "c:1: warehouses.a.drop.keep: 87601h is over the limit of 87600 hours"},
	{"key of a purge", "warehouses: {a: {location: /a, purge: {graze: 1h}}}\n", "c:1: warehouses.a.purge.graze: unknown key; did you mean grace?"},
	{"token twice", "authn:\n  tokens:\n  - {name: a, token: x}\n  - {name: b, token: x}\n", "c:4: authn.tokens[1]: has the name or the token of another"},
	{"token without name", "authn: {tokens: [{token: x}]}\n", "c:1: authn.tokens[0]: has no name"},
	{"empty token", "authn: {tokens: [{name: a, token: ''}]}\n", "c:1: authn.tokens[0]: needs one of token and token-sha256, not empty"},
	{"digest of nothing", "authn: {tokens: [{name: a, token-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855}]}\n", "c:1: authn.tokens[0].token-sha256: is the digest of an empty token"},
	{"bad digest", "authn: {tokens: [{name: a, token-sha256: ABC}]}\n", "c:1: authn.tokens[0].token-sha256: must be 64 hexadecimal digits"},
	{"memory with a journal", "metastore: {type: memory}\njournal: {path: j.db}\n", "c:1: metastore.type: memory keeps nothing, so journal.path has no use beside it"},
	{"memory with pointer tables", "metastore: {type: memory, sqlite: {path: p.db}}\n", "c:1: metastore.type: memory keeps nothing, so metastore.sqlite.path has no use beside it"},
	{"no database", "metastore:\n  type: postgresql\n", "c:1: metastore.postgresql.url: is missing: the database that holds the journal, like postgres://puddle@db.example.org/puddle?sslmode=verify-full"},
	{"journal beside a database", postgres("", "journal: {path: puddle-data/journal.db}\n"), "c:2: journal.path: has no use beside metastore.type postgresql: the journal is in the database"},
	{"pointer tables beside a database", "metastore: {type: postgresql, sqlite: {path: p.db}, postgresql: {url: 'postgres://h/d'}}\n", "c:1: metastore.sqlite.path: has no use beside metastore.type postgresql: the pointer tables are in the database"},
	{"waiting for the archive beside a database", postgres("", "journal:\n  archive: sync\n"), "c:3: journal.archive: must not be sync beside metastore.type postgresql: one replica writes the archive for all, behind their commits. What the loss of a machine must not take is for synchronous standbys of the database; use async beside them"},
	{"schema", postgres(", schema: Puddle", ""), `c:1: metastore.postgresql.schema: must be 1 to 63 small letters, digits and underscores, not begin with a digit or pg_, and not be information_schema, not "Puddle"`},
	{"schema of the server's own", postgres(", schema: pg_puddle", ""), `c:1: metastore.postgresql.schema: must be 1 to 63 small letters, digits and underscores, not begin with a digit or pg_, and not be information_schema, not "pg_puddle"`},
	{"the catalogs' schema", postgres(", schema: information_schema", ""), `c:1: metastore.postgresql.schema: must be 1 to 63 small letters, digits and underscores, not begin with a digit or pg_, and not be information_schema, not "information_schema"`},
	{"everybody's schema", postgres(", schema: public", ""), "c:1: metastore.postgresql.schema: must not be public, which others use too: a recovery renames the schema with all that is in it. Name one of puddle's own, which is made"},
	{"a mode of queries", "metastore: {type: postgresql, postgresql: {url: 'postgres://u:s3cret@h/d?default_query_exec_mode=simple_protocol'}}\n", "c:1: metastore.postgresql.url: must not have default_query_exec_mode exec or simple_protocol, which send no arrays: leave it out (a pooler that needs it keeps no sessions, which puddle needs)"},
	{"a certificate that is not there", "metastore: {type: postgresql, postgresql: {url: 'postgres://u:s3cret@h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem'}}\n", "c:1: metastore.postgresql.url: names a file that cannot be read: /nowhere/ca.pem: no such file or directory"},
	{"one connection", postgres(", max-connections: 1", ""), `c:1: metastore.postgresql.max-connections: must be a number from 2 to 10000, not "1"`},
	{"connections in words", postgres(", max-connections: many", ""), `c:1: metastore.postgresql.max-connections: must be a number from 2 to 10000, not "many"`},
	{"key of a database", postgres(", user: a", ""), "c:1: metastore.postgresql.user: unknown key"},
	{"a database beside files", "metastore: {postgresql: {url: 'postgres://h/d'}}\n", "c:1: metastore.postgresql: has no use beside metastore.type sqlite"},
	{"a database beside memory", "metastore: {type: memory, postgresql: {schema: other}}\n", "c:1: metastore.postgresql: has no use beside metastore.type memory"},
	{"data in a warehouse", "data-dir: /w/data\njournal: {path: /j}\nmetastore: {sqlite: {path: /p}}\nwarehouses: {a: {location: /w}}\n", "c:1: data-dir: /w/data lies in a location of warehouse a: clients could write there"},
	{"one file", "journal: {path: /x/a}\nmetastore: {sqlite: {path: /x//a}}\n", "c:1: journal.path: is the same file as metastore.sqlite.path"},
	{"all at once", "data-dir: 1\nserver: {adr: x}\nlogging: {level: loud}\n", "c:1: data-dir: must be text (in quotes, if it is a number or a word like true)\n" +
		"c:2: server.adr: unknown key; did you mean addr?\n" + `c:3: logging.level: must be one of debug, info, warn, error, not "loud"`},
}

// postgres is a configuration with a database, more keys of it, and more below.
func postgres(keys, below string) string {
	return "metastore: {type: postgresql, postgresql: {url: 'postgres://h/d'" + keys + "}}\n" + below
}

// The part of a URL that is wrong is named, and the variable that tells it.
func TestWrongPartOfAURL(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://u:s3cret@h/d?sslmode=verify":               "its sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full",
		"postgres://u:s3cret@h:54x/d":                          "its port must be a number from 1 to 65535",
		"postgres://u:s3cret@h/d?target_session_attrs=primry":  "its target_session_attrs must be one of any, read-write, read-only, primary, standby, prefer-standby",
		"postgres://u:s3cretp%@h/d":                            "what is no letter or digit in its password, user and database must be written as %XX, and a percent sign as %25",
		"postgres://u:s3cret@h/d?connect_timeout=soon":         "its connect_timeout must be a number of seconds",
		"postgres://u:s3cret@h/d?channel_binding=yes":          "its channel_binding must be one of disable, prefer, require",
		"postgres://u:s3cret@h/d?sslmode":                      "each setting behind its ? must be name=value, and & between two",
		"postgres://u:s3cret@h/d?sslmode=require&sslcert=/a":   "it must have both sslcert and sslkey, or none",
		"postgres://u:s3cret@h/d?min_protocol_version=1":       "its min_protocol_version must be 3.0 or 3.2, and not above max_protocol_version",
		"postgres://u:s3cret@h/d?default_query_exec_mode=fast": "its default_query_exec_mode must be one of cache_statement, cache_describe, describe_exec",
		"postgres://u:s3cret@h/d?service=s3cret":               "its service is in no service file that can be read",
		"mysql://u:s3cret@h/d":                                 "it must be like postgres://user:password@host:5432/database?sslmode=verify-full",
	} {
		_, err := parse("c", []byte("metastore: {type: postgresql, postgresql: {url: '${URL}'}}\n"), environment("URL", url))
		if err == nil || !strings.Contains(err.Error(), "is no connection string of PostgreSQL: "+want) || strings.Contains(err.Error(), "s3c") ||
			!strings.HasSuffix(err.Error(), "; it is told by ${URL}") {
			t.Errorf("%s: error is %v", url, err)
		}
	}
}

// A URL that cannot be read is not quoted: a part of it is the password.
func TestPasswordIsNotTold(t *testing.T) {
	for _, url := range []string{
		"postgres://u:s3c/ret@h/d", "postgres://u:s3cret@h:port/d", "postgres://u:s3cret@h/d?sslmode=perhaps", "host=h password=s3cret port=x", "s3cret",
		"postgres://u:%zzs3cret@h/d", "mysql://u:s3cret@h/d",
	} {
		_, err := parse("c", []byte("metastore: {type: postgresql, postgresql: {url: '"+url+"'}}\n"), environment())
		if err == nil || !strings.Contains(err.Error(), "c:1: metastore.postgresql.url: is no connection string") || strings.Contains(err.Error(), "s3c") {
			t.Errorf("%s: error is %v", url, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse("c", []byte(test.file), environment())
			var listed *Error
			if !errors.As(err, &listed) || err.Error() != test.want {
				t.Errorf("error is\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

// What comes later is refused by name, never ignored.
func TestNotInThisBuild(t *testing.T) {
	for key, file := range map[string]string{
		"server.tls.cert-file":                   "server: {tls: {cert-file: a}}",
		"server.public-url":                      "server: {public-url: 'https://a'}",
		"warehouses.a.s3.remote-signing.enabled": "warehouses: {a: {location: /a, s3: {remote-signing: {enabled: true}}}}",
		"authn.oidc":                             "authn: {oidc: [{issuer: a}]}",
		"authn.clients":                          "authn: {clients: [{id: a, secret: b}]}",
		"authn.token-lifetime":                   "authn: {token-lifetime: 2h}",
		"authz.type":                             "authz: {type: rules}",
		"authz.rules":                            "authz: {rules: [{roles: [reader]}]}",
		"authz.opa.url":                          "authz: {opa: {url: a}}",
		"tracing.otlp-endpoint":                  "tracing: {otlp-endpoint: a}",
		"tracing.enabled":                        "tracing: {enabled: true}",
	} {
		_, err := parse("c", []byte(file), environment())
		if err == nil || !strings.Contains(err.Error(), "c:1: "+key+": ") || !strings.Contains(err.Error(), "not in this build") {
			t.Errorf("%s: error is %v", file, err)
		}
	}
}

// Case 146: nobody beyond this machine without authentication.
func TestCase146_LoopbackRule(t *testing.T) {
	for addr, loopback := range map[string]bool{
		"127.0.0.1:0": true, "127.1.2.3:1": true, "localhost:1": true, "[::1]:1": true,
		":8089": false, "0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "example.org:1": false,
	} {
		for rule, extra := range map[string]string{
			"":       "",
			"token":  "authn: {tokens: [{name: a, token: b}]}\n",
			"permit": "",
		} {
			insecure := map[bool]string{true: ", insecure: true"}[rule == "permit"]
			_, err := parse("c", []byte("server: {addr: '"+addr+"'"+insecure+"}\n"+extra), environment())
			if allowed := loopback || rule != ""; (err == nil) != allowed {
				t.Errorf("%s with %q: error is %v", addr, rule, err)
			}
		}
	}
}

// What no root can be: clients would differ on what is below it (ADR 8), or it
// would be in the way of puddle's own files (case 141).
func TestRootsThatCannotBe(t *testing.T) {
	for file, want := range map[string]string{
		"location: '/w/a#b'":                                      `warehouses.a.location: /w/a#b: no root holds "?" or "#"`,
		"location: '/w?/a'":                                       "warehouses.a.location: /w?/a: no root",
		"location: /w, allowed-locations: ['/m#']":                "warehouses.a.allowed-locations[0]: /m#: no root",
		"location: /w, allowed-locations: [/w/_puddle/t]":         "warehouses.a.allowed-locations[0]: /w/_puddle/t is in a folder _puddle, which is reserved",
		"location: /m/_PUDDLE/w, allowed-locations: ['file:/m/']": "warehouses.a.location: /m/_PUDDLE/w is in a folder _puddle, which is reserved",
		"location: 's3://b/x/%5fpuddle/w'":                        "warehouses.a.location: s3://b/x/%5fpuddle/w is in a folder _puddle, which is reserved",
		"location: /w/../a":                                       "dot segment",
		"location: /w, allowed-locations: [a/b]":                  "is not an absolute path",
	} {
		_, err := parse("c", []byte("warehouses: {a: {"+file+"}}\n"), environment())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", file, err)
		}
	}
}

// Roots and allowed locations of two warehouses never nest (formats §1); those
// of one may, and segments count whole (case 130).
func TestNesting(t *testing.T) {
	for _, test := range []struct {
		a, b string
		fine bool
	}{
		{"location: /w/a", "location: /w/ab", true},
		{"location: /w/a, allowed-locations: [/w/a/x]", "location: /w/b", true},
		{"location: /w/a", "location: 'file:/w/a/'", false},
		{"location: /w/a", "location: /w/a/b", false},
		{"location: /w/a/b", "location: /w/a", false},
		{"location: /w/a, allowed-locations: [/m]", "location: /m/b", false},
		{"location: /w/a, allowed-locations: [/m]", "location: /w/b, allowed-locations: [/m]", false},
	} {
		_, err := parse("c", []byte("warehouses:\n  a: {"+test.a+"}\n  b: {"+test.b+"}\n"), environment())
		if (err == nil) != test.fine || err != nil && !strings.Contains(err.Error(), "c:3: warehouses.b.") {
			t.Errorf("%s beside %s: error is %v", test.a, test.b, err)
		}
	}
}
