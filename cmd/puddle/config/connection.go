package config

import "strings"

// urlParts are what a connection string can have wrong, by a word of pgx's own reason. What
// was written is never quoted: in a string that is split in the wrong places it may be the
// password.
var urlParts = []struct{ reason, part string }{
	{"invalid port", "its port must be a number from 1 to 65535"},
	{"port numbers to", "it must have one port, or one for each host"},
	{"sslmode is invalid", "its sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full"},
	{"sslcertmode", "its sslcertmode must be one of disable, allow, require"},
	{`"sslcert" and "sslkey"`, "it must have both sslcert and sslkey, or none"},
	{"sslpassword", "its sslkey needs an sslpassword"},
	{"decrypt key", "its sslpassword does not open its sslkey"},
	{"sslkey", "its sslkey names a file that cannot be used"},
	{"cert", "its sslcert names a file that cannot be used"},
	{"CA ", "its sslrootcert names a file that cannot be used"},
	{"target_session_attrs", "its target_session_attrs must be one of any, read-write, read-only, primary, standby, prefer-standby"},
	{"connect_timeout", "its connect_timeout must be a number of seconds"},
	{"min_protocol_version", "its min_protocol_version must be 3.0 or 3.2, and not above max_protocol_version"},
	{"max_protocol_version", "its max_protocol_version must be 3.0, 3.2 or latest"},
	{"channel_binding", "its channel_binding must be one of disable, prefer, require"},
	{"require_auth", "its require_auth names a method that is none"},
	{"default_query_exec_mode", "its default_query_exec_mode must be one of cache_statement, cache_describe, describe_exec"},
	{"statement_cache_capacity", "its statement_cache_capacity must be a number"},
	{"description_cache_capacity", "its description_cache_capacity must be a number"},
	{"service", "its service is in no service file that can be read"},
	{"IPv6", "its host must be like [::1] where it is an IPv6 address"},
	{"query parameter", "each setting behind its ? must be name=value, and & between two"},
	{"percent", "what is no letter or digit in its password, user and database must be written as %XX, and a percent sign as %25"},
}

const urlForm = "it must be like postgres://user:password@host:5432/database?sslmode=verify-full (write what is no letter or digit in a password as %XX)"

// wrongPart names the part of a connection string that pgx finds wrong.
func wrongPart(err error) string {
	text := err.Error()
	reason := text[strings.LastIndex(text, "`: ")+1:] // behind the string itself
	for _, known := range urlParts {
		if strings.Contains(reason, known.reason) {
			return known.part
		}
	}
	return urlForm
}

// toldBy names the variables of the environment that a value was told by.
func toldBy(variables string) string {
	if variables == "" {
		return ""
	}
	return "; it is told by " + variables
}
