// Package importtest holds the rules that no compiler checks, as tests: which
// package may import which, and the shape of the house — short files, short
// functions, a doc.go for every package, names that say something, no path of
// one machine.
//
// The import rules are the table in rules_test.go, in the order of the
// architecture: the first row that matches a package decides, and a package
// without a row fails, so that a new package comes with a decision about where
// it stands. Direct imports of non-test files count.
package importtest
