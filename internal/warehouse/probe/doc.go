// Package probe finds out what a store really does, by doing it: whether a key is created
// only if it is absent, whether what was written is read and listed at once, whether what
// was deleted is gone, and whether any name is kept as it is.
//
// Stores that speak S3 differ in this, and some of them ignore a condition and answer that
// all is well: then two catalogs may both take a warehouse, and an archive be written over.
// Nobody notices until it is too late, unless it is tried.
//
// A probe writes a few small objects below a folder of its own in [warehouse.ProbeFolder],
// and removes them. What it cannot remove it names.
package probe
