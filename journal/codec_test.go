package journal_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

func frozenRecord(t *testing.T, kind string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(frozen, "record-"+kind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDecodeIsStrict changes one thing of a frozen record at a time, each to what
// another encoder could have written for the same event, or to nonsense.
func TestDecodeIsStrict(t *testing.T) {
	for what, c := range map[string]struct{ kind, old, new string }{
		"fields in another order":  {"namespace-created", `"kv":1,"seq":2`, `"seq":2,"kv":1`},
		"keys of a map swapped":    {"namespace-created", `"Zone":"","owner":"ana"`, `"owner":"ana","Zone":""`},
		"keys in UTF-16 order":     {"namespace-created", "\"\uFFFD\":\"2\",\"\U0001F986\":\"1\"", "\"\U0001F986\":\"1\",\"\uFFFD\":\"2\""},
		"keys of a move swapped":   {"table-dropped", `,"kind":"table","uuid":"a1b2c3d4-e5f6-4789-8abc-def012345678"`, `,"uuid":"a1b2c3d4-e5f6-4789-8abc-def012345678","kind":"table"`},
		"a space":                  {"namespace-created", `"kv":1`, `"kv": 1`},
		"a line end":               {"namespace-created", `"kv":1,`, "\"kv\":1,\n"},
		"a float":                  {"namespace-created", `"kv":1`, `"kv":1.0`},
		"an exponent":              {"namespace-created", `"seq":2`, `"seq":2e0`},
		"a number as text":         {"namespace-created", `"seq":2`, `"seq":"2"`},
		"a negative seq":           {"namespace-created", `"seq":2`, `"seq":-2`},
		"a rounded id":             {"tables-committed", "4598286611352242712", "4.598286611352243e18"},
		"an id over 64 bits":       {"tables-committed", "9223372036854775807", "9223372036854775808"},
		"an escape for a letter":   {"namespace-created", `"ana"`, `"\u0061na"`},
		"an escape beyond ASCII":   {"table-created", "\u00e9", `\u00e9`},
		"an escape for a slash":    {"incarnation-started", `s3://`, `s3:\/\/`},
		"an escape for HTML":       {"table-renamed", `<2026>`, `\u003c2026>`},
		"an escape for JavaScript": {"table-created", "\u2028", `\u2028`},
		"a long escape":            {"table-created", `\n`, `\u000a`},
		"an escape in upper case":  {"table-created", `\u0001`, `\U0001`},
		"invalid UTF-8":            {"namespace-created", `"ana"`, "\"an\xff\""},
		"a lone surrogate":         {"namespace-created", `"ana"`, `"\ud83e"`},
		"a key twice":              {"namespace-created", `"kv":1`, `"kv":1,"kv":1`},
		"a property twice":         {"namespace-created", `"owner":"ana"`, `"owner":"ana","owner":"ana"`},
		"an unknown field":         {"namespace-created", `"v":1`, `"v":1,"vv":1`},
		"an unknown field within":  {"namespace-created", `"namespace":["sales"]`, `"namespace":["sales"],"new":1`},
		"a field in another case":  {"namespace-created", `"kv":1`, `"KV":1`},
		"a field left out":         {"namespace-created", `"kv":1,`, ``},
		"a field within left out":  {"namespace-created", `"namespace":["sales"],`, ``},
		"a null":                   {"table-dropped", `"purge":true`, `"purge":null`},
		"a null property":          {"namespace-created", `"Zone":""`, `"Zone":null`},
		"an empty optional":        {"namespace-created", `"origin"`, `"key":"","origin"`},
		"an optional that is null": {"table-dropped", `"uuid":`, `"to":null,"uuid":`},
		"a uuid in upper case":     {"namespace-created", "4c7d9e10", "4C7D9E10"},
		"a uuid without hyphens":   {"namespace-created", "4c7d9e10-5f6a-4b8c-9d0e-1f2a3b4c5d6e", "4c7d9e105f6a4b8c9d0e1f2a3b4c5d6e"},
		"a uuid as a URN":          {"namespace-created", `"4c7d9e10`, `"urn:uuid:4c7d9e10`},
		"a digest in upper case":   {"table-dropped", "498a5c5b", "498A5C5B"},
		"a digest that is short":   {"table-dropped", "498a5c5b", "498a5c"},
		"two moves in a drop":      {"table-dropped", `"moves":[{`, `"moves":[{},{`},
		"no moves in a commit":     {"tables-committed", `"moves":[`, `"moves":[],"x":[`},
		"a move of nothing":        {"table-dropped", `"kind":"table"`, `"kind":"index"`},
		"the nil uuid":             {"namespace-created", "4c7d9e10-5f6a-4b8c-9d0e-1f2a3b4c5d6e", "00000000-0000-0000-0000-000000000000"},
		"a name that is refused":   {"namespace-created", `["sales"]`, `["sales",".."]`},
		"a view in a commit":       {"tables-committed", `"kind":"table"`, `"kind":"view"`},
		"a table in a view's":      {"view-replaced", `"kind":"view"`, `"kind":"table"`},
		"a table moved twice":      {"tables-committed", "c0ffee00-1234-4567-89ab-cdef01234567", "a1b2c3d4-e5f6-4789-8abc-def012345678"},
		"a view's that is":         {"view-renamed", `"name":"best <2026>`, `"name":"best\t<2026>`},
		"a table's that is":        {"table-renamed", `"name":"orders <2026> &`, `"name":"orders\t<2026> &`},
		"record version 0":         {"namespace-created", `"v":1`, `"v":0`},
	} {
		record := frozenRecord(t, c.kind)
		if !strings.Contains(record, c.old) {
			t.Errorf("%s: the record does not hold %s", what, c.old)
		}
		_, err := journal.Decode(journal.Digest{}, []byte(strings.Replace(record, c.old, c.new, 1)))
		if !errors.Is(err, journal.ErrRecord) || errors.Is(err, journal.ErrNewer) {
			t.Errorf("%s: %v, want %v", what, err, journal.ErrRecord)
		}
	}
}

func TestDecodeEdges(t *testing.T) {
	record := frozenRecord(t, "namespace-created")
	for _, data := range []string{
		"", "null", "{}", "[]", `""`, "7", " " + record, record + " ", record + "\n", record + "{}", "\uFEFF" + record, record[:len(record)-1],
		strings.Repeat(" ", journal.MaxRecordBytes) + "1",
	} {
		if _, err := journal.Decode(journal.Digest{}, []byte(data)); !errors.Is(err, journal.ErrRecord) {
			t.Errorf("%.40q: %v, want %v", data, err, journal.ErrRecord)
		}
	}
	for n := range len(record) {
		if _, err := journal.Decode(journal.Digest{}, []byte(record[:n])); err == nil {
			t.Errorf("the first %d bytes of a record pass", n)
		}
	}
}

// TestDecodeNewer: an older build stops at what it does not know.
func TestDecodeNewer(t *testing.T) {
	for what, c := range map[string][2]string{
		"record version 2":          {`"v":1`, `"v":2`},
		"record version 2, a field": {`"v":1`, `"signature":"x","v":2`},
		"an unknown kind":           {`namespace-created`, `namespace-merged`},
		"an unknown body version":   {`"kv":1`, `"kv":2`},
	} {
		record := strings.Replace(frozenRecord(t, "namespace-created"), c[0], c[1], 1)
		if _, err := journal.Decode(journal.Digest{}, []byte(record)); !errors.Is(err, journal.ErrNewer) {
			t.Errorf("%s: %v, want %v", what, err, journal.ErrNewer)
		}
	}
}

// TestRecordsAreCanonical: whatever a story holds, its records come back as they
// were, and the keys of every object in them ascend by their bytes.
func TestRecordsAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, entry := range journaltest.Entries(t, journaltest.Draw(t, goldLake), journaltest.Start) {
			got, err := journal.Decode(entry.Event.Prev, entry.Record)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(entry.Event, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("(-written +read):\n%s", diff)
			}
			if err := keysAscend(entry.Record); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, g := range goldHistory(t) {
		if err := keysAscend([]byte(frozenRecord(t, g.name))); err != nil {
			t.Error(err)
		}
	}
}

// keysAscend reads the tokens of a record and compares neighbouring keys.
func keysAscend(record []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(record))
	last := make(map[int]string) // by depth
	for {
		token, err := d.ReadToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		depth := d.StackDepth()
		kind, length := d.StackIndex(depth)
		switch {
		case token.Kind() == '{' || token.Kind() == '}':
			delete(last, depth)
		case kind == '{' && length%2 == 1: // a key was read
			if before, ok := last[depth]; ok && before >= token.String() {
				return errors.New("key " + token.String() + " comes after " + before)
			}
			last[depth] = token.String()
		}
	}
}

func TestEscapes(t *testing.T) {
	draft := goldHistory(t)[1].draft
	draft.Body = journal.NamespaceCreated{ID: goldSales, Namespace: journal.Namespace{"<&>\u2028\u00e9\U0001F986/'"}, Properties: map[string]string{
		"p": "\x00\x01\b\t\n\v\f\r\x1f\"\\\u007f\u2029",
	}}
	entry, _, err := journal.NewChain(goldLake, goldIncarnation, 0).Next(draft, journal.At(goldStart))
	if err != nil {
		t.Fatal(err)
	}
	want := "\"namespace\":[\"<&>\u2028\u00e9\U0001F986/'\"],\"properties\":{\"p\":\"" +
		`\u0000\u0001\b\t\n\u000b\f\r\u001f\"\\` + "\u007f\u2029\"}"
	if !bytes.Contains(entry.Record, []byte(want)) {
		t.Errorf("record %s does not hold %s", entry.Record, want)
	}
}

// TestEncodeRefuses: what could not be read back is never written (case 161).
func TestEncodeRefuses(t *testing.T) {
	chain := journal.NewChain(goldLake, goldIncarnation, 0)
	draft := goldHistory(t)[1].draft
	moves := make([]journal.Move, journal.MaxMoves+1)
	for i := range moves {
		moves[i] = journal.Move{Kind: journal.Table, UUID: goldOrders, To: goldTo("orders", 0)}
	}
	created := func(p map[string]string) journal.Body {
		return journal.NamespaceCreated{ID: goldSales, Namespace: journal.Namespace{"sales"}, Properties: p}
	}
	move := func(change func(*journal.Move)) journal.Body {
		m := journal.Move{Kind: journal.Table, UUID: goldOrders, To: goldTo("orders", 0)}
		change(&m)
		return journal.TableCreated{Moves: [1]journal.Move{m}}
	}
	table, view := journal.Move{Kind: journal.Table, UUID: goldOrders}, journal.Move{Kind: journal.View, UUID: goldOrders}
	table.To, view.To = goldTo("orders", 0), goldTo("orders", 0)
	stepped := func(m journal.Move) journal.Move {
		m.From = goldFrom("orders", 1)
		return m
	}
	one := func(m journal.Move) [1]journal.Move { return [1]journal.Move{m} }
	for what, c := range map[string]struct {
		body journal.Body
		want error
	}{
		"a view created as a table":     {journal.TableCreated{Moves: one(view)}, journal.ErrRecord},
		"a view registered as a table":  {journal.TableRegistered{Moves: one(view)}, journal.ErrRecord},
		"a view renamed as a table":     {journal.TableRenamed{Moves: one(stepped(view))}, journal.ErrRecord},
		"a view among tables":           {journal.TablesCommitted{Moves: []journal.Move{stepped(view)}}, journal.ErrRecord},
		"a table created as a view":     {journal.ViewCreated{Moves: one(table)}, journal.ErrRecord},
		"a table registered as a view":  {journal.ViewRegistered{Moves: one(table)}, journal.ErrRecord},
		"a table replaced as a view":    {journal.ViewReplaced{Moves: one(stepped(table))}, journal.ErrRecord},
		"a table renamed as a view":     {journal.ViewRenamed{Moves: one(stepped(table))}, journal.ErrRecord},
		"a view registered over a view": {journal.ViewRegistered{Moves: one(stepped(view))}, journal.ErrRecord},
		"a view replaced from nothing":  {journal.ViewReplaced{Moves: one(view)}, journal.ErrRecord},
		"a view dropped to somewhere":   {journal.ViewDropped{Moves: one(stepped(view))}, journal.ErrRecord},
		"unregistered to somewhere":     {journal.TableUnregistered{Moves: one(stepped(table))}, journal.ErrRecord},
		"a table moved twice":           {journal.TablesCommitted{Moves: []journal.Move{stepped(table), stepped(table)}}, journal.ErrRecord},
		"no body":                       {nil, journal.ErrRecord},
		"too many moves":                {journal.TablesCommitted{Moves: moves}, journal.ErrTooLarge},
		"too many bytes":                {created(map[string]string{"p": strings.Repeat("x", journal.MaxRecordBytes)}), journal.ErrTooLarge},
		"invalid UTF-8":                 {created(map[string]string{"p": "\xff"}), journal.ErrRecord},
		"invalid UTF-8 key":             {created(map[string]string{"\xff": "p"}), journal.ErrRecord},
		"no moves":                      {journal.TablesCommitted{}, journal.ErrRecord},
		"no name":                       {journal.IncarnationStarted{Location: "s3://lake"}, journal.ErrRecord},
		"a birth that ends":             {move(func(m *journal.Move) { m.To = nil }), journal.ErrRecord},
		"a birth from":                  {move(func(m *journal.Move) { m.From = goldFrom("orders", 0) }), journal.ErrRecord},
		"no uuid":                       {move(func(m *journal.Move) { m.UUID = [16]byte{} }), journal.ErrRecord},
		"a name over length":            {move(func(m *journal.Move) { m.To.Identifier.Name = strings.Repeat("n", 1025) }), journal.ErrName},
	} {
		draft.Body = c.body
		if _, same, err := chain.Next(draft, journal.At(goldStart)); !errors.Is(err, c.want) || same != chain {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}
