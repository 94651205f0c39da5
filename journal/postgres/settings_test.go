package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal/postgres"
)

// TestSettings: sessions have the settings that turns rest on, except for those that the
// URL makes, in either way, and the schema is the path whatever it says.
func TestSettings(t *testing.T) {
	url := postgrestest.Open(t)
	for name, db := range map[string]*postgres.DB{
		"plan_cache_mode=force_generic_plan lock_timeout=20s idle_in_transaction_session_timeout=10s jit=off application_name=puddle search_path=puddle default_transaction_read_only=off": open(t, url),
		"plan_cache_mode=auto lock_timeout=5s idle_in_transaction_session_timeout=10s jit=on application_name=x search_path=puddle default_transaction_read_only=off": open(t,
			url+"&plan_cache_mode=auto&application_name=x&search_path=y&options=-c%20lock_timeout%3D5s%20--jit%3Don"),
		"plan_cache_mode=force_generic_plan lock_timeout=20s idle_in_transaction_session_timeout=10s jit=off application_name=puddle search_path=puddle default_transaction_read_only=on": openWith(t,
			postgres.Options{URL: url, ReadOnly: true}),
	} {
		var got string
		err := db.Read(t.Context(), func(conn *pgx.Conn) error {
			return conn.QueryRow(t.Context(), `SELECT string_agg(name || '=' || current_setting(name), ' ' ORDER BY n) FROM unnest(ARRAY['plan_cache_mode',
				'lock_timeout', 'idle_in_transaction_session_timeout', 'jit', 'application_name', 'search_path', 'default_transaction_read_only'])
				WITH ORDINALITY AS s (name, n)`).Scan(&got)
		})
		if err != nil || got != name {
			t.Errorf("got %s, %v\nwant %s", got, err, name)
		}
	}
}
