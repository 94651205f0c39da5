package catalog_test

import (
	"os"
	"strings"
	"testing"

	"puddle/rest/catalog"
)

// What a store can never take is the request's fault, not a passing trouble: a
// folder that is a link (case 138), a file where the folder would be, a name
// longer than the file system has.
func TestCase138_LinksAndObstacles(t *testing.T) {
	g := onDisk(t, t.TempDir())
	t.Cleanup(func() { g.close(t) })
	p := running(t, g)
	p.namespace(t, nil, "n")
	root, outside := strings.TrimPrefix(g.url, "file://"), t.TempDir()
	must(t, os.Symlink(outside, root+"/link"))
	must(t, os.Symlink(root, root+"/loop"))
	must(t, os.WriteFile(root+"/file", nil, 0o600))
	for _, location := range []string{"/link", "/link/t", "/loop/t", "/file", "/file/t", "/" + strings.Repeat("x", 256), "/.puddle-tmp-x/t"} {
		_, err := p.CreateTable(ctx, cause, newTable("t", g.url+location))
		refused(t, err, catalog.Invalid, location)
		_, err = p.StageTable(ctx, newTable("t", g.url+location))
		refused(t, err, catalog.Invalid, location)
	}
	entries, err := os.ReadDir(outside)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("written through a link: %v", entries)
	}
	if len(audit(t, g)) != 1 {
		t.Error("a refusal was recorded")
	}
}
