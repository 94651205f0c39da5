//go:build !linux

package sqlite

// BootID is empty: it is for Linux.
func BootID() string { return "" }
