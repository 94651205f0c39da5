package postgrestest_test

import (
	"testing"

	"puddle/internal/postgrestest"
)

// there counts the rows of the table pond.
const there = "DO $$ BEGIN ASSERT (SELECT count(*) FROM pond) = "

func TestPointInTime(t *testing.T) {
	c := postgrestest.New(t, "archive_mode=on", "archive_command=cp %p ../wal/%f")
	wal := c.Folder(t, "wal")
	c.Exec(t, "CREATE TABLE pond (duck int)")
	base := c.Backup(t, "restore_command=cp "+wal+"/%f %p", "recovery_target_action=promote")
	c.Exec(t, "INSERT INTO pond VALUES (1)")
	c.Exec(t, "SELECT pg_create_restore_point('one duck')")
	c.Exec(t, "INSERT INTO pond VALUES (2)")
	c.Archived(t)
	c.Stop()
	for ducks, target := range map[string][]string{"1": {"recovery_target_name=one duck"}, "2": nil} {
		restored := base.Again(t, target...)
		restored.Recover(t)
		restored.Exec(t, there+ducks+"; END $$")
		restored.Exec(t, "INSERT INTO pond VALUES (3)")
	}
}

func TestFollower(t *testing.T) {
	c := postgrestest.New(t)
	c.Exec(t, "CREATE TABLE pond (duck int)")
	one := c.Follower(t, "one")
	c.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = 'one'")
	c.Exec(t, "SELECT pg_reload_conf()")
	c.Exec(t, "INSERT INTO pond VALUES (1)")
	c.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = ''")
	c.Exec(t, "SELECT pg_reload_conf()")
	one.Forsake(t)
	c.Exec(t, "INSERT INTO pond VALUES (2)")
	c.Stop()
	one.Promote(t)
	one.Exec(t, there+"1; END $$")
	one.Exec(t, "INSERT INTO pond VALUES (3)")
}
