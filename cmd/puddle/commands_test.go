package main

import (
	"errors"
	"strings"
	"testing"

	"puddle/cmd/puddle/config"
)

// A command that a message names is of the catalog that this run is of.
func TestCommandsOfMessages(t *testing.T) {
	for _, c := range []struct{ file, message, typed string }{
		{"", "next: start the server: puddle serve", "next: start the server: puddle serve"},
		{"puddle.yaml", "next: start the server: puddle serve", "next: start the server: puddle -c puddle.yaml serve"},
		{"/etc/my lake.yaml", "see: puddle verify", "see: puddle -c '/etc/my lake.yaml' verify"},
		{"it's.yaml", "see: puddle config check --probe", `see: puddle -c 'it'\''s.yaml' config check --probe`},
		{"$1.yaml", "see: puddle status", "see: puddle -c '$1.yaml' status"},
		{"a.yaml", "stop it, and run puddle recover --from archive, or puddle journal compact", "stop it, and run puddle -c a.yaml recover --from archive, or puddle -c a.yaml journal compact"},
		{"a.yaml", "puddle -c b.yaml recover", "puddle -c b.yaml recover"},
		{"a.yaml", "puddle needs a schema of its own; /srv/puddle recover; puddle recovery", "puddle needs a schema of its own; /srv/puddle recover; puddle recovery"},
	} {
		s := &session{file: c.file}
		if typed := s.typed(c.message); typed != c.typed {
			t.Errorf("-c %s: %s", c.file, typed)
		}
	}
}

// The log of a server names its configuration, where that is a word that needs no quotes.
func TestCommandsOfTheLog(t *testing.T) {
	for file, wants := range map[string]string{"": "puddle verify", "/etc/puddle.yaml": "puddle -c /etc/puddle.yaml verify", "my lake.yaml": "puddle verify"} {
		for _, format := range []string{"text", "json"} {
			var out strings.Builder
			log := (&session{stderr: &out, file: file}).logger(config.Logging{Format: format, Level: "info"})
			log.Warn().Str("see", "puddle verify").Msg("look")
			if !strings.Contains(out.String(), wants) {
				t.Errorf("-c %q, %s: %s", file, format, out.String())
			}
		}
	}
}

// A command line that does not parse says what it is of all the same.
func TestFileOf(t *testing.T) {
	for line, wants := range map[string]string{"serve": "", "-c a.yaml log": "a.yaml", "log -ca.yaml": "a.yaml", "--config a.yaml": "a.yaml", "diff --config=a.yaml": "a.yaml", "log -c": ""} {
		if file := fileOf(strings.Fields(line)); file != wants {
			t.Errorf("%s: %q", line, file)
		}
	}
}

// What is left after a recovery is counted by what it is.
func TestNoted(t *testing.T) {
	for said, n := range map[string][2]int{
		"warnings: 1": {1, 0},
		"tables and views to register by hand: 2":              {0, 2},
		"warnings: 1, tables and views to register by hand: 2": {1, 2},
	} {
		if noted := noted(n[0], n[1]); noted != said {
			t.Errorf("%v: %s", n, noted)
		}
	}
}

// Why a catalog takes no changes is told to anybody: what a restart mends, and what not.
func TestStoppedSaysWhy(t *testing.T) {
	why := errors.New("a place that is not for anybody")
	for _, c := range []struct {
		is   *warehouse
		says string
	}{
		{&warehouse{}, "read only until restart"},
		{&warehouse{behind: why}, "read only as of a backup: a journal is behind its archive (see puddle status)"},
		{&warehouse{behind: why, unfit: why}, "read only: an object store does not keep two catalogs apart (see puddle status)"},
	} {
		if said := (&node{warehouses: []*warehouse{c.is}}).stopped().Error(); said != c.says {
			t.Errorf("said %s, want %s", said, c.says)
		}
	}
}

// A warehouse that is not named is asked for, with the configuration in the example.
func TestExamples(t *testing.T) {
	for line, wants := range map[string]string{
		"history sales.orders": "expected WAREHOUSE TABLE, as in: puddle -c a.yaml history lake sales.orders",
		"at":                   "expected WAREHOUSE POINT, as in: puddle -c a.yaml at lake seq:42",
		"diff seq:1 seq:2":     "expected WAREHOUSE FROM TO, as in: puddle -c a.yaml diff lake seq:40 seq:42",
		"undrop sales.orders":  "expected WAREHOUSE TABLE, as in: puddle -c a.yaml undrop lake sales.orders",
		"repoint sales.orders --newest --reason x": "expected WAREHOUSE TABLE, as in: puddle -c a.yaml repoint lake sales.orders",
	} {
		var out, told strings.Builder
		code := run(append([]string{"-c", "a.yaml"}, strings.Fields(line)...), &session{stdout: &out, stderr: &told})
		if code != codeUsage || !strings.Contains(told.String(), wants) {
			t.Errorf("%s: %d %s", line, code, told.String())
		}
	}
}
