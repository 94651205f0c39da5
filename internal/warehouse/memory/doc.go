// Package memory is a warehouse store in memory. It behaves like a folder of
// a file system, folders included, and forgets everything with the process.
package memory
