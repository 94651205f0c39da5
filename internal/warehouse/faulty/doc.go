// Package faulty is a warehouse store that fails where a test says: before a
// call takes effect, or after it. Fault matrices are made of it.
package faulty
