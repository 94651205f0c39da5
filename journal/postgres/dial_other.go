//go:build !linux

package postgres

import "syscall"

// limitSilence leaves it to the system.
func limitSilence(string, string, syscall.RawConn) error { return nil }
