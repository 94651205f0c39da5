package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/postgrestest"
)

// inPostgres is the part of a configuration that has a catalog kept in a database.
func inPostgres(url string) string {
	return fmt.Sprintf("metastore: {type: postgresql, postgresql: {url: %q}}\n", url)
}

// telling are commands that tell of a history, and the exit codes that they have.
var telling = map[string]int{
	"log":                                   codeDone,
	"log --json":                            codeDone,
	"log --table n.a --json":                codeDone,
	"log --kind tables-committed --limit 2": codeDone,
	"log --since seq:3 --until seq:6":       codeDone,
	"history default n.b":                   codeDone,
	"history default n.b --check --json":    codeDone,
	"history default n.a --all":             codeDone,
	"at default seq:7":                      codeDone,
	"at default seq:7 --check --json":       codeDone,
	"at default seq:99":                     codeUsage,
	"diff default seq:3 seq:9":              codeDone,
	"diff default seq:8 seq:7 --json":       codeDone,
	"verify --level 4":                      codeDone,
	"verify --level 4 --json":               codeDone,
}

// TestReportsAreTheSame: what is told of a history does not depend on where it is kept, nor
// on whether a server tells it.
func TestReportsAreTheSame(t *testing.T) {
	url := postgrestest.Open(t)
	var all []map[string]string
	for _, metastore := range []string{"", inPostgres(url)} {
		dir := t.TempDir()
		const mode = "journal: {archive: off}\n"
		lived(t, dir, mode+metastore, func() {})
		offline := reports(t, dir)
		r := started(t, configured(t, dir, mode+metastore))
		all = append(all, offline, reports(t, dir))
		r.stopped()
	}
	for _, other := range all[1:] {
		if diff := cmp.Diff(all[0], other); diff != "" {
			t.Error(diff)
		}
	}
}

// reports are what the commands say, without what differs from one catalog to another.
func reports(t *testing.T, dir string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for command, want := range telling {
		out := report(t, filepath.Join(dir, "puddle.yaml"), want, strings.Fields(command)...)
		said[command] = nameless(strings.ReplaceAll(out, dir, "DIR"))
	}
	return said
}

var (
	passing = regexp.MustCompile(`20[0-9-]{8}T[0-9:.]+Z|"(bytes|size)": [0-9]+|"looked-at": (true|false)|[0-9]+ bytes`)
	unique  = regexp.MustCompile(`[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// nameless has ids and digests numbered as they come.
func nameless(text string) string {
	known := map[string]string{}
	return unique.ReplaceAllStringFunc(passing.ReplaceAllString(text, "…"), func(id string) string {
		if known[id] == "" {
			known[id] = fmt.Sprint("id", len(known)+1)
		}
		return known[id]
	})
}
