// Package catalogtest is for tests of what decides and of what purges: each step of a
// process that leaves it is counted, and one fails, or is the last.
package catalogtest
