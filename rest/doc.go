// Package rest is who asks: the HTTP surface of puddle. It decodes requests,
// names their cause, calls package catalog and words what comes back. It decides
// nothing itself.
//
// # Life of a request
//
//  1. It gets an id, and a route by its raw path: no cleaning, no redirects.
//  2. Pages of other sites are refused, and the caller is authenticated, before anything else is read or told.
//  3. The warehouse is found; the body is read, and inflated, within its limits.
//  4. A change that was sent before with the same Idempotency-Key is answered
//     again; what follows does not happen a second time.
//  5. The handler of the [endpoint] decodes strictly and asks the catalog.
//  6. The whole [reply] is built, and compressed for who takes it; then the
//     status line is sent, with its length.
//  7. Metrics and the log's one line ([Request]) are written.
//
// Every failure is a JSON document of Iceberg's error model, whatever failed. One
// table turns the catalog's codes into statuses and types (faults).
//
// # Names in paths
//
// Segments are split while still escaped: first at slashes, then at %1F between
// the levels of a namespace; only then is each level decoded. What a raw plus
// means depends on who writes; type plus reads it.
//
// # What there is
//
// The Iceberg REST catalog below /api/catalog/v1, each route with the
// warehouse's name as prefix and, when there is one warehouse only, without;
// puddle's own reports below /api/puddle/v1; /healthz, /readyz and /metrics. A
// server that is being opened ([Starting]) has the same routes, and sends everybody
// away but those who ask how it is. The
// endpoints that the config route lists are taken from the table that serves
// them. /healthz and /readyz are open; all others, /metrics included, need a
// token once tokens are configured.
package rest
