package journal_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// anyRecord is a record as an encoder writes it that knows JSON and the fields' tags
// alone, as the first builds did.
type anyRecord struct {
	At          int64         `json:"at"`
	Body        journal.Body  `json:"body"`
	Cause       journal.Cause `json:"cause"`
	ID          uuid.UUID     `json:"id"`
	Incarnation uuid.UUID     `json:"incarnation"`
	Kind        journal.Kind  `json:"kind"`
	KV          int           `json:"kv"`
	Seq         journal.Seq   `json:"seq"`
	V           int           `json:"v"`
	Wall        int64         `json:"wall"`
	Warehouse   uuid.UUID     `json:"warehouse"`
}

func encodeAny(e journal.Event) ([]byte, error) {
	return json.Marshal(anyRecord{
		At: e.At.UnixMilli(), Body: e.Body, Cause: e.Cause, ID: e.ID, Incarnation: e.Incarnation, Kind: e.Kind(), KV: 1,
		Seq: e.Seq, V: journal.RecordVersion, Wall: e.Wall.UnixMilli(), Warehouse: e.Warehouse,
	}, json.Deterministic(true))
}

// sameBytes compares what is written with what an encoder of any JSON writes; both
// refuse the same.
func sameBytes(t rapid.TB, e journal.Event) {
	t.Helper()
	got, ok := journal.WriteEvent(e)
	want, err := encodeAny(e)
	if ok != (err == nil) || ok && !bytes.Equal(got, want) {
		t.Fatalf("%s: %t, %v\n%s\n%s", e.Kind(), ok, err, got, want)
	}
}

// bodies draw what may be in a body's fields, right or wrong.
var bodies = []*rapid.Generator[journal.Body]{
	anyBody[journal.IncarnationStarted](), anyBody[journal.NamespaceCreated](), anyBody[journal.NamespaceUpdated](), anyBody[journal.NamespaceDropped](),
	anyBody[journal.TableCreated](), anyBody[journal.TableRegistered](), anyBody[journal.TablesCommitted](), anyBody[journal.TableRenamed](),
	anyBody[journal.TableDropped](), anyBody[journal.TableUnregistered](), anyBody[journal.TableUndropped](), anyBody[journal.TableRepointed](),
	anyBody[journal.TablePurged](), anyBody[journal.ViewCreated](), anyBody[journal.ViewRegistered](), anyBody[journal.ViewReplaced](),
	anyBody[journal.ViewRenamed](), anyBody[journal.ViewDropped](), anyBody[journal.ViewUndropped](), anyBody[journal.ViewRepointed](),
	anyBody[journal.RecoveryCompleted](), anyBody[journal.HistoryImported](),
}

func anyBody[B journal.Body]() *rapid.Generator[journal.Body] {
	return rapid.Map(rapid.Make[B](), func(b B) journal.Body { return b })
}

// Whatever is in the fields of an event of any kind, its record is the bytes that an
// encoder writes that knows the tags alone.
func TestLawRecordsAreJSON(t *testing.T) {
	var kinds []journal.Kind
	for _, body := range bodies {
		kinds = append(kinds, body.Example(1).Kind())
	}
	slices.Sort(kinds)
	if !slices.Equal(kinds, journal.Kinds()) {
		t.Errorf("drawn are %q", kinds)
	}
	moment := rapid.Map(rapid.Int64Range(-1<<48, 1<<48), time.UnixMilli)
	cause, position, id := rapid.Make[journal.Cause](), rapid.Make[journal.Position](), rapid.Make[uuid.UUID]()
	rapid.Check(t, func(t *rapid.T) {
		for _, body := range bodies {
			sameBytes(t, journal.Event{
				Position: position.Draw(t, "position"), Warehouse: id.Draw(t, "warehouse"), ID: id.Draw(t, "id"),
				At: moment.Draw(t, "at"), Wall: moment.Draw(t, "wall"), Cause: cause.Draw(t, "cause"), Body: body.Draw(t, "body"),
			})
		}
	})
}

// The records of histories are those bytes too, and are read back as what they were
// by the way that knows the fields and by the one that does not.
func TestLawRecordsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, entry := range journaltest.Entries(t, journaltest.Draw(t, goldLake), journaltest.Start) {
			sameBytes(t, entry.Event)
			e, err := journal.Decode(entry.Event.Prev, entry.Record)
			if err != nil {
				t.Fatal(err)
			}
			same(t, e, entry)
			if again, ok := journal.WriteEvent(e); !ok || !bytes.Equal(again, entry.Record) {
				t.Fatalf("%s\n%s", entry.Record, again)
			}
			refusesFields(t, entry)
		}
	})
}

// refusesFields puts a field that nobody knows in front of each object's.
func refusesFields(t *rapid.T, entry journal.Entry) {
	for i := range entry.Record {
		if entry.Record[i] != '{' || entry.Record[i+1] != '"' {
			continue
		}
		for _, field := range []string{`"x":1,`, `" ":null,`} {
			record := slices.Insert(bytes.Clone(entry.Record), i+1, []byte(field)...)
			if _, err := journal.Decode(entry.Event.Prev, record); !errors.Is(err, journal.ErrRecord) {
				t.Fatalf("%v: %s", err, record)
			}
		}
	}
}

// Strings of any bytes are written as any encoder does, or refused by both.
func TestLawStringsAreJSON(t *testing.T) {
	anyBytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	bits := rapid.SampledFrom([]string{"\xff", "\xc3", "\xed\xa0\x80", "é", "\u2028", "\x00", "\x1f", "\x7f", `"`, `\`, "/", "<", "\uFFFD"})
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range []string{anyBytes.Draw(t, "bytes"), rapid.String().Draw(t, "text"), rapid.String().Draw(t, "more") + bits.Draw(t, "odd")} {
			got, ok := journal.WriteText(s)
			want, err := json.Marshal(s)
			if ok != (err == nil) || ok && !bytes.Equal(got, want) {
				t.Fatalf("%q: %s, %t; %s, %v", s, got, ok, want, err)
			}
		}
	})
}

// anyAnswer is the first line of an answer, as anyRecord is of a record.
type anyAnswer struct {
	Actor   journal.Actor  `json:"actor"`
	Key     string         `json:"key"`
	Request journal.Digest `json:"request-sha256"`
	Route   string         `json:"route"`
	Seq     journal.Seq    `json:"seq,omitzero"`
	Status  int            `json:"status,omitzero"`
	Until   int64          `json:"until"`
	V       int            `json:"v"`
}

// What a journal keeps of a request is a line of JSON and the body, and reads back.
func TestLawAnswersAreJSON(t *testing.T) {
	texts := rapid.StringN(1, 80, -1)
	rapid.Check(t, func(t *rapid.T) {
		r := journal.Request{
			Actor: journal.Actor(texts.Filter(func(s string) bool { return !strings.Contains(s, "\x00") }).Draw(t, "actor")),
			Key:   rapid.StringN(36, 60, journal.MaxKeyBytes).Draw(t, "key"), Route: texts.Draw(t, "route"),
			Body: rapid.Make[journal.Digest]().Draw(t, "digest"), Until: time.UnixMilli(rapid.Int64Range(1, 1<<48).Draw(t, "until")).UTC(),
		}
		a := journal.Answer{Request: r, Seq: journal.Seq(rapid.Uint64Range(1, 1<<63).Draw(t, "seq"))}
		if rapid.Bool().Draw(t, "no event") {
			a = journal.Answer{Request: r, Status: rapid.IntRange(100, 599).Draw(t, "status"), Body: rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "body")}
		}
		got, err := journal.EncodeAnswer(a)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(anyAnswer{r.Actor, r.Key, r.Body, r.Route, a.Seq, a.Status, r.Until.UnixMilli(), journal.AnswerVersion})
		if want := slices.Concat(line, []byte("\n"), a.Body); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n%s\n%s", err, got, want)
		}
		if back, err := journal.DecodeAnswer(got); err != nil || !reflect.DeepEqual(back, a) {
			t.Fatalf("%v: %+v, not %+v", err, back, a)
		}
	})
}
