package main

import "strings"

// byName is an error that calls warehouses by their names.
type byName struct {
	error
	text string
}

func (c byName) Error() string { return c.text }
func (c byName) Unwrap() error { return c.error }

// withNames gives an error of a database, which knows ids alone, the names of the warehouses.
func (n *node) withNames(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, w := range n.warehouses {
		text = strings.ReplaceAll(text, "warehouse "+w.id.String(), "warehouse "+w.Name)
	}
	if text == err.Error() {
		return err
	}
	return byName{err, text}
}
