package postgres

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// settings are those of a session that the URL does not make. They are set when the session
// is there: a pooler refuses what it does not know in a startup message.
type settings map[string]string

// settings are all of ours, less those that a startup message carries. Rows are looked up by
// keys: a plan that was made while a table was small is the one for when it is large, and is
// made once a session.
func (o *Options) settings(startup map[string]string) settings {
	set := settings{
		"plan_cache_mode":                     "force_generic_plan",
		"enable_seqscan":                      "off",
		"enable_hashjoin":                     "off",
		"enable_mergejoin":                    "off",
		"jit":                                 "off",
		"default_transaction_isolation":       "read committed",
		"application_name":                    "puddle",
		"lock_timeout":                        strconv.FormatInt(LockLimit.Milliseconds(), 10),
		"idle_in_transaction_session_timeout": strconv.FormatInt(IdleLimit.Milliseconds(), 10),
	}
	set.silence()
	flags := strings.ReplaceAll(startup["options"], "-", "_")
	maps.DeleteFunc(set, func(name, _ string) bool {
		_, said := startup[name]
		return said || strings.Contains(flags, name+"=")
	})
	set["search_path"] = o.Schema
	if o.ReadOnly {
		set["default_transaction_read_only"] = "on"
	}
	return set
}

// with is the settings and another one.
func (s settings) with(name, value string) settings {
	s = maps.Clone(s)
	s[name] = value
	return s
}

// server is what a session leads to.
type server struct {
	recovering bool
	started    time.Time // by its clock: another process, another time
	process    int32     // for this session
}

// apply makes them those of a session, and tells of its server.
func (s settings) apply(ctx context.Context, session *pgx.Conn) (to server, err error) {
	names := slices.Sorted(maps.Keys(s))
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = s[name]
	}
	var n int
	err = session.QueryRow(ctx, `SELECT pg_is_in_recovery(), pg_postmaster_start_time(), pg_backend_pid(), count(set_config(name, value, false))
		FROM unnest($1::text[], $2::text[]) AS setting (name, value)`, names, values).Scan(&to.recovering, &to.started, &to.process, &n)
	return to, err
}
