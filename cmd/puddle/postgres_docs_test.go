package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestDocumentedRestoreIsRun: the commands that the operations page has for the backup of a
// database and its restore are those of the script that does it.
func TestDocumentedRestoreIsRun(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/postgres-restore.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## PostgreSQL: backup and restore\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := 0
	for _, block := range shellBlock.FindAllStringSubmatch(section, -1) {
		for line := range strings.Lines(block[1]) {
			commands++
			if command := strings.TrimPrefix(strings.TrimSpace(line), "puddle "); !strings.Contains(string(script), command) {
				t.Errorf("no script runs %q", command)
			}
		}
	}
	if commands != 6 {
		t.Errorf("the page has %d commands", commands)
	}
}

// TestDocumentedPointInTimeIsRun: what the operations page says of base backups and WAL is what
// the test of them sets and runs.
func TestDocumentedPointInTimeIsRun(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## PostgreSQL: point-in-time recovery\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, want := range []string{
		"archive_mode = on\n", "archive_command = '" + archiveCommand + "'\n", "restore_command = '" + restoreCommand + "'\n",
		"recovery_target_name = '" + restorePoint + "'\n", "recovery_target_time = '", "recovery_target_action = 'promote'\n", "recovery.signal\n",
		"pg_basebackup --checkpoint=fast ", "pg_create_restore_point('" + restorePoint + "')", "recover --from archive", "recover --at seq:", "repoint --newest", "recover --allow-nonempty",
	} {
		if !strings.Contains(section, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}
