package recover

// NamespaceReport is what became of a planned namespace.
type NamespaceReport struct {
	PlannedNamespace
	Outcome ObjectOutcome // Recovered, Skipped or Failed
	Err     error         // of Failed
}

// Report is what a recovery of one warehouse did, or, of a dry run, would do.
type Report struct {
	Warehouse      string
	From           Source
	EventsReplayed int
	Imported       int // old moves that history has taken over
	Namespaces     []NamespaceReport
	Objects        []PlannedObject
	Unregistered   []Unregistered
	NotUsed        []NotUsed
	Warnings       []string
	Elsewhere      string // who may still have the warehouse; empty: nobody else
	Whole          bool   // the journal has it all: nothing was lost but tables that follow it
}

// ReportOf is the report of a plan that nothing was done of yet.
func ReportOf(p Plan) Report {
	r := Report{
		Warehouse: p.Warehouse, From: p.From, EventsReplayed: p.EventsReplayed, Imported: p.Imported,
		Objects: append([]PlannedObject(nil), p.Objects...), Unregistered: p.Unregistered, NotUsed: p.NotUsed,
		Warnings: p.Warnings,
	}
	for _, n := range p.Namespaces {
		r.Namespaces = append(r.Namespaces, NamespaceReport{PlannedNamespace: n, Outcome: Recovered})
	}
	return r
}

// Totals counts a report.
type Totals struct {
	Recovered, Skipped, Dropped, Failed, Unregistered int // tables and views
	Namespaces, FailedNamespaces                      int // recovered, failed
	Warnings                                          int
}

// Totals counts what is in the report.
func (r Report) Totals() Totals {
	t := Totals{Unregistered: len(r.Unregistered), Warnings: len(r.Warnings)}
	for _, n := range r.Namespaces {
		switch n.Outcome {
		case Recovered:
			t.Namespaces++
		case Failed:
			t.FailedNamespaces++
		}
	}
	for _, o := range r.Objects {
		t.Warnings += len(o.Warnings)
		switch o.Outcome {
		case Recovered:
			t.Recovered++
		case Skipped:
			t.Skipped++
		case Dropped:
			t.Dropped++
		case Failed:
			t.Failed++
		}
	}
	return t
}
