//go:build !linux

package bolt

// forget is for Linux.
func forget(string) error { return nil }
