package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	iniBlock   = regexp.MustCompile("(?s)```ini\n(.*?)```")
	sqlBlock   = regexp.MustCompile("(?s)```sql\n(.*?)```")
)

// section is what a page has between a heading of the second level and the next one.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", page, heading)
	}
	before, _, _ := strings.Cut(after, "\n## ")
	return before
}

// blocks are the texts of a section's code blocks of one kind.
func blocks(kind *regexp.Regexp, section string) (texts []string) {
	for _, block := range kind.FindAllStringSubmatch(section, -1) {
		texts = append(texts, block[1])
	}
	return texts
}

// statements are those of a block of SQL.
func statements(block string) []string { return strings.Split(strings.TrimSpace(block), ";\n") }

// TestDocumentedRestoreIsRun: the commands that the operations page has for the backup of a
// database and its restore are those of the script that does it.
func TestDocumentedRestoreIsRun(t *testing.T) {
	script, err := os.ReadFile("testdata/script/postgres-restore.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := section(t, "operations.md", "PostgreSQL: backup and restore")
	commands := 0
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
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
	text := section(t, "operations.md", "PostgreSQL: point-in-time recovery")
	for _, block := range iniBlock.FindAllString(text, -1) {
		if strings.Count(block, "recovery_target_name")+strings.Count(block, "recovery_target_time =") > 1 {
			t.Errorf("PostgreSQL takes one target: %s", block)
		}
	}
	for _, want := range []string{
		"archive_mode = on\n", "archive_command = '" + archiveCommand + "'\n", "restore_command = '" + restoreCommand + "'\n",
		"recovery_target_name = '" + restorePoint + "'\n", "recovery_target_time = '", "recovery_target_timeline = 'current'\n", "archive_mode = off\n", "recovery_target_action = 'promote'\n", "recovery.signal\n",
		"pg_basebackup --checkpoint=fast ", "pg_create_restore_point('" + restorePoint + "')", "recover --from archive", "recover --at seq:", "repoint --newest", "recover --allow-nonempty",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}
