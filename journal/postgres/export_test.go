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
