package config

import "testing"

// What can be told without one another is told at once, and nothing that another finding
// would explain.
func TestProblemsHideNoOthers(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{
			"a key, a database and a bucket",
			"server: {adr: x}\nmetastore: {type: postgresql, postgresql: {url: ''}}\nwarehouses: {a: {location: 's3://No_/w', s3: {region: r}}}\n",
			"c:1: server.adr: unknown key; did you mean addr?\n" +
				"c:2: metastore.postgresql.url: is missing: the database that holds the journal, like postgres://puddle@db.example.org/puddle?sslmode=verify-full\n" +
				"c:3: warehouses.a.s3: s3://No_/w: a bucket's name is 3 to 63 of a-z, 0-9, dot and hyphen, beginning and ending with a letter or digit; with path-style-access: true also an older one",
		},
		{
			"all of a database",
			"metastore:\n  type: postgresql\n  postgresql:\n    url: ''\n    schema: public\n    max-connections: 1\n",
			"c:4: metastore.postgresql.url: is missing: the database that holds the journal, like postgres://puddle@db.example.org/puddle?sslmode=verify-full\n" +
				"c:5: metastore.postgresql.schema: must not be public, which others use too: a recovery renames the schema with all that is in it. Name one of puddle's own, which is made\n" +
				`c:6: metastore.postgresql.max-connections: must be a number from 2 to 10000, not "1"`,
		},
		{
			"a variable and the next key of a token",
			"server: {addr: '0.0.0.0:1'}\nauthn:\n  tokens:\n  - {name: a, token: '${NOPE}'}\n  - {name: b, tokn: x}\n  - {name: c, token: y}\n  - {name: c, token: z}\n",
			"c:4: authn.tokens[0].token: the environment variable NOPE is not set\n" +
				"c:5: authn.tokens[1].tokn: unknown key; did you mean token?\n" +
				"c:7: authn.tokens[3]: has the name or the token of another",
		},
		{
			"variables that numbers and locations wait for",
			"data-dir: $NOPE/d\nmetastore: {type: postgresql, postgresql: {url: $NOPE, max-connections: $NOPE}}\n" +
				"warehouses: {a: {location: $NOPE, allowed-locations: [$NOPE, /b], s3: {region: r}}, b: {location: /b}}\n",
			"c:1: data-dir: the environment variable NOPE is not set\n" +
				"c:2: metastore.postgresql.url: the environment variable NOPE is not set\n" +
				"c:2: metastore.postgresql.max-connections: the environment variable NOPE is not set\n" +
				"c:3: warehouses.a.location: the environment variable NOPE is not set\n" +
				"c:3: warehouses.a.allowed-locations[0]: the environment variable NOPE is not set\n" +
				"c:3: warehouses.b.location: /b and /b of warehouse a are the same or nest: two warehouses share no storage",
		},
		{
			"what an alias stands for",
			"data-dir: &it $NOPE\njournal: {path: *it}\nserver: {adr: x}\n",
			"c:1: data-dir: the environment variable NOPE is not set\nc:3: server.adr: unknown key; did you mean addr?",
		},
		{
			"a key that another one waits for",
			"warehouses:\n  a:\n    location: s3://Old_Lake/w\n    s3:\n      endpont: https://h\n      path_style_access: true\n      access-key-id: a\n      secret-acces-key: b\n",
			"c:5: warehouses.a.s3.endpont: unknown key; did you mean endpoint?\n" +
				"c:6: warehouses.a.s3.path_style_access: unknown key; did you mean path-style-access?\n" +
				"c:8: warehouses.a.s3.secret-acces-key: unknown key; did you mean secret-access-key?",
		},
		{
			"a type, and what it would decide",
			"metastore: {type: postgres, postgresql: {url: 'postgres://h/d'}}\njournal: {archive: never}\n",
			`c:1: metastore.type: must be one of sqlite, postgresql, memory, not "postgres"` + "\n" +
				`c:2: journal.archive: must be one of async, sync, off, not "never"`,
		},
		{
			"locations of all",
			"warehouse: {}\nwarehouses: {a: {locaton: /a}, b: {location: b}, c: {location: /c}}\nexternal-warehouses: {c: {location: x}, d: {location: /c/d}}\n",
			"c:1: warehouse: unknown key; did you mean warehouses?\n" +
				"c:2: warehouses.a.locaton: unknown key; did you mean location?\n" +
				`c:2: warehouses.b.location: warehouse: invalid location: "b" is not an absolute path` + "\n" +
				`c:3: external-warehouses.c.location: warehouse: invalid location: "x" is not an absolute path` + "\n" +
				"c:3: external-warehouses.c: a warehouse has this name\n" +
				"c:3: external-warehouses.d.location: /c/d and /c of warehouse c are the same or nest: what is only read is nowhere written",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := parse("c", []byte(test.file), environment()); err == nil || err.Error() != test.want {
				t.Errorf("error is\n%v\nwant\n%s", err, test.want)
			}
		})
	}
}

func TestMeant(t *testing.T) {
	known := []string{"addr", "data-dir", "endpoint", "url", "schema", "serve", "recover", "log"}
	for word, want := range map[string]string{
		"adr": "addr", "data_dir": "data-dir", "dataDir": "data-dir", "endpont": "endpoint", "ulr": "url", "srve": "serve", "recovr": "recover",
		"Schema": "schema", "": "", "x": "", "lo": "log", "user": "", "nonsense": "", "änderung": "",
	} {
		if got := Meant(word, known); got != want {
			t.Errorf("%q means %q, not %q", word, got, want)
		}
	}
}
