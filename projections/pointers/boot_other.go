//go:build !linux

package pointers

// BootID is empty: it is for Linux.
func BootID() string { return "" }
