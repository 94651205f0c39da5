// Package postgrestest gives tests a real PostgreSQL.
//
// A package's TestMain ends with [Main], and each test asks [Open] for the URL of a
// database of its own. The first one to ask starts a server for the whole test
// binary; a test that stops servers has one for itself, from [New], and a program that
// shows something with one has it from [Start].
//
// The server is the installed one: pg_config names its programs, or they lie where
// Debian puts them. A test that asks for it is skipped where they are missing, and
// fails when PUDDLE_TEST_REQUIRE is "all". PostgreSQL refuses to run as root, so that
// under root it runs as the user postgres, or nobody. It listens on a socket in a
// temporary folder and nowhere else, and trusts everybody. fsync is off unless a
// setting says otherwise: that it dies loses nothing, that the machine does would. The
// server of a test has its files in memory where there is room.
//
// A server does not outlive its test binary, however that ends: it waits for the end
// of a pipe which the binary holds.
package postgrestest
