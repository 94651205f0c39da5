package main

import (
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"puddle/journal"
)

// json writes one document to the report.
func (s *session) json(v any) error {
	data, err := json.Marshal(v, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = s.stdout.Write(append(data, '\n'))
	return err
}

// table writes rows to the report. Names and locations come from clients: what
// a terminal could take for an order is shown as an escape (case 83).
func (s *session) table(header table.Row, rows ...table.Row) error {
	w := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	// Also where a row has none.
	w.SetColumnConfigs([]table.ColumnConfig{{Name: "seq", Align: text.AlignRight, AlignHeader: text.AlignRight}})
	w.AppendHeader(header)
	for _, row := range rows {
		for i, cell := range row {
			if said, ok := cell.(string); ok {
				row[i] = printable(said)
			}
		}
		w.AppendRow(row)
	}
	_, err := s.stdout.Write([]byte(w.Render() + "\n"))
	return err
}

// lines writes text to the report, with the same care. Commands in it name the configuration.
func (s *session) lines(lines []string) error {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(printable(s.typed(line)) + "\n")
	}
	_, err := s.stdout.Write([]byte(b.String()))
	return err
}

// printable writes characters that are not to be seen as escapes: controls,
// directions, look-alike spaces.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// end is one side of a move, as the routes give it.
type end struct {
	Identifier       journal.Identifier `json:"identifier"`
	MetadataLocation string             `json:"metadata-location"`
	Present          *bool              `json:"present"`
}

// step is a move of one object, as the routes give it.
type step struct {
	Identifier journal.Identifier `json:"identifier"`
	From       *end               `json:"from"`
	To         *end               `json:"to"`
	SnapshotID *int64             `json:"snapshot-id"`
}

// names is the object's name, or both where it was renamed.
func (m step) names() string {
	if m.From != nil && m.To != nil && !m.From.Identifier.Equal(m.To.Identifier) {
		return m.From.Identifier.Quoted() + " → " + m.To.Identifier.Quoted()
	}
	return m.Identifier.Quoted()
}

// files are the metadata files where the pointer was and where it went.
func (m step) files() string {
	switch {
	case m.From == nil && m.To == nil:
		return ""
	case m.From == nil:
		return "→ " + path.Base(m.To.MetadataLocation)
	case m.To == nil:
		return path.Base(m.From.MetadataLocation) + " →"
	case m.From.MetadataLocation == m.To.MetadataLocation:
		return path.Base(m.To.MetadataLocation)
	}
	return path.Base(m.From.MetadataLocation) + " → " + path.Base(m.To.MetadataLocation)
}

// pointer is where the pointer went; in a history, it came from the row above.
func (m step) pointer() string {
	if m.To == nil {
		return "gone"
	}
	return m.To.MetadataLocation
}
