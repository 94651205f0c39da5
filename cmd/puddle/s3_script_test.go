package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"puddle/internal/s3test"
)

// onS3 are the stories that are told once more of warehouses in buckets: all but those of
// links and folders. The first ones always are, the others where nothing may be skipped.
var onS3 = []string{
	"recover", "archive-sealed-again", "archive-past-damaged", "backup-story", "branched", "compact", "keep", "log", "memory",
	"past", "purge-killed", "recover-archive-ends", "recover-damaged", "recover-dry-run", "recover-files", "recover-metastore",
	"recover-metastore-two", "recover-nothing", "recover-one-of-two", "recover-sidecars", "recover-torn-archive", "refuse",
	"repoint", "restore", "restored", "restored-tables", "sidecars", "status", "undrop", "verify",
}

// always is how many of onS3 are told each time.
const always = 2

// undeleted are those of them that a store which denies deletes holds up in nothing.
var undeleted = []string{"recover-files", "archive-sealed-again", "recover", "recover-sidecars", "recover-torn-archive", "repoint", "past"}

// TestScriptsOnS3 runs scripts that were written for folders with the same places in a
// bucket. The bucket is the folder that the script works in, so that what it does to files
// of the warehouse it does to objects.
func TestScriptsOnS3(t *testing.T) {
	told, kept := onS3[:always], undeleted[:1]
	if os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
		told, kept = onS3, undeleted
	}
	runOnS3(t, "s3", told)
	runOnS3(t, "kept", kept, s3test.Denying("s3:DeleteObject"))
}

// runOnS3 runs scripts in buckets of a store, whose names begin with a word.
func runOnS3(t *testing.T, called string, names []string, options ...s3test.Option) {
	t.Helper()
	buckets, scripts := t.TempDir(), t.TempDir()
	server := s3test.Start(t, append(options, s3test.InFolders(buckets))...)
	p := scripting(t, map[string]bool{"s3": true})
	for _, name := range names {
		p.Files = append(p.Files, inBucket(t, server, scripts, called, name))
	}
	p.WorkdirRoot = buckets
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error { // what follows s3:// is a path in the work folder
		return errors.Join(setup(env), os.Symlink(".", filepath.Join(env.WorkDir, filepath.Base(env.WorkDir))))
	}
	testscript.Run(t, p)
}

var placed = regexp.MustCompile(`(location: "s3://[^"]*")`)

// inBucket writes a script of a folder as one of a bucket, and tells where.
func inBucket(t *testing.T, server *s3test.Server, into, called, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/script", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	bucket := "s3://script-" + called + "-" + name + "/"
	service := fmt.Sprintf(`$1, s3: {region: %s, endpoint: %q, path-style-access: true, revalidate: 0s, access-key-id: %q, secret-access-key: %q}`,
		s3test.Region, server.Endpoint, server.AccessKeyID, server.SecretAccessKey)
	var places []string
	for _, folder := range []string{"$WORK/", "${WORK}/", "'$WORK'/", "$PWD/"} {
		places = append(places, "file://"+folder, bucket, "file://$(ls "+folder, bucket+"$(ls ")
	}
	script := strings.NewReplacer(append(places, "file://", "s3://")...).Replace(string(text))
	path := filepath.Join(into, called+"-"+name+".txtar")
	if err := os.WriteFile(path, []byte(placed.ReplaceAllString(script, service)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
