package postgres

import "time"

// Within is o that gives up looking for the outcome of a commit after d.
func Within(o Options, d time.Duration) Options {
	o.outcomeLimit = d
	return o
}

// Class names the class of an error.
func Class(err error) string {
	return map[class]string{unknown: "unknown", rolledBack: "rolled back", passing: "passing", deterministic: "deterministic"}[classify(err)]
}

// SetWait makes db wait for connections of the pool for d. Not for concurrent use.
func SetWait(db *DB, d time.Duration) { db.options.readWait, db.options.turnWait = d, d }

// WhyNot is what an error means for whoever asked.
func WhyNot(err error) error { return whyNot(err) }
