package main

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/journal"
)

// event is what people are shown of one.
type event struct {
	Seq       journal.Seq       `json:"seq"`
	At        string            `json:"at"`
	Kind      string            `json:"kind"`
	Actor     string            `json:"actor"`
	Namespace journal.Namespace `json:"namespace"`
	Reason    string            `json:"reason"`
	Purged    *purged           `json:"purged"`
	Moves     []step            `json:"moves"`
	Imported  []oldMove         `json:"imported"`
}

// oldMove is what people are shown of a move whose event is lost.
type oldMove struct {
	step
	Seq   journal.Seq `json:"seq"`
	At    string      `json:"at"`
	Event string      `json:"event"`
	Actor string      `json:"actor"`
}

// purged is what people are shown of the end of a purge.
type purged struct {
	Table   string `json:"table"`
	Removed int64  `json:"removed"`
	Kept    int64  `json:"kept"`
	Failed  int64  `json:"failed"`
}

// rows are one for each move, or one.
func (e event) rows() []table.Row {
	row := func(name, pointer string) table.Row {
		return table.Row{uint64(e.Seq), e.At, e.Kind, e.Actor, name, pointer}
	}
	if p := e.Purged; p != nil {
		return []table.Row{row(p.Table, fmt.Sprintf("%d removed, %d kept, %d failed", p.Removed, p.Kept, p.Failed))}
	}
	if len(e.Imported) > 0 {
		return e.imported()
	}
	if len(e.Moves) == 0 {
		name := e.Reason
		if len(e.Namespace) > 0 {
			name = e.Namespace.String()
		}
		return []table.Row{row(name, "")}
	}
	because := ""
	if e.Reason != "" {
		because = " (" + e.Reason + ")"
	}
	rows := make([]table.Row, len(e.Moves))
	for i, m := range e.Moves {
		rows[i] = row(m.names(), m.files()+because)
	}
	return rows
}

// imported are a row for the event, and one below it for each old move as it happened, the
// newest first. Their seqs are not among those of events, which the first column has.
func (e event) imported() []table.Row {
	rows := []table.Row{{uint64(e.Seq), e.At, e.Kind, e.Actor, "", fmt.Sprintf("%d old moves", len(e.Imported))}}
	for _, m := range slices.Backward(e.Imported) {
		rows = append(rows, table.Row{"", m.At, fmt.Sprintf("  %s %s", m.Seq, m.Event), m.Actor, m.names(), m.files()})
	}
	return rows
}

func printEvents(s *session, header table.Row, events []jsontext.Value) error {
	var rows []table.Row
	for _, raw := range events {
		var e event
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		rows = append(rows, e.rows()...)
	}
	if len(rows) == 0 {
		return nil
	}
	return s.table(header, rows...)
}

func seqOf(raw jsontext.Value) (journal.Seq, error) {
	var e event
	err := json.Unmarshal(raw, &e)
	return e.Seq, err
}
