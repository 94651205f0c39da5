// Package fuzztest is what the fuzz targets of parsers have in common: golden files as
// seeds, and a bound on what a parser may take of memory for what somebody else wrote.
//
// Which parser has which target is a table of docs/invariants.md, which internal/importtest
// compares with the code.
package fuzztest
