// Puddle is an Apache Iceberg REST catalog whose truth is a journal of events.
//
// This package wires the others together and decides nothing. A [node] is one
// opened data folder: journal, pointer tables, warehouses, and the HTTP handler
// over them. A [server] is a node that listens. Commands that report send the
// requests of /api/puddle/v1 to the running server through its socket, or, when
// none runs, open a node and call the same handler in process.
//
// The data folder has a lock, held by whoever opened it; the lock file says who
// that is and where its socket is.
package main
