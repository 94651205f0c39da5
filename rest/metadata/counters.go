package metadata

// Counter is a number of a table that grows with its versions and never shrinks.
type Counter struct {
	Name  string // as the table spec names it
	Value int64
}

// Counters returns those of the version, always the same ones in the same order. A
// table whose counter goes back gives out ids once more that older files already
// use.
func (d *Document) Counters() []Counter {
	return []Counter{
		{"last-column-id", int64(d.state.lastColumnID)},
		{"last-sequence-number", d.state.lastSequence},
		{"last-partition-id", int64(d.state.lastPartitionID)},
		{"next-row-id", d.state.nextRow},
	}
}
