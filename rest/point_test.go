package rest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

func TestParsePoint(t *testing.T) {
	id := uuid.MustParse("0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10")
	for s, want := range map[string]point{
		"seq:0":                         {kind: pointSeq},
		"seq:42":                        {kind: pointSeq, seq: 42},
		id.String():                     {kind: pointEvent, event: id},
		id.String() + ":7":              {kind: pointPosition, incarnation: id, seq: 7},
		"2026-09-24T10:00:00Z":          {kind: pointTime, at: epoch},
		"2026-09-24T12:00:00.000+02:00": {kind: pointTime, at: epoch},
	} {
		got, err := parsePoint(s)
		got.at = got.at.UTC()
		if want.at = want.at.UTC(); err != nil || got != want {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "42", "seq:", "seq:-1", "seq:1.0", "seq:99999999999999999999", "2026-09-24", "2026-09-24T10:00:00",
		"yesterday", "{" + id.String() + "}", "urn:uuid:" + id.String(), id.String() + ":", id.String() + ":x", ":7"} {
		if got, err := parsePoint(s); !errors.Is(err, errPoint) {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
}

// A point is the last event at or before it; times between events, before the
// first and after the last included.
func TestResolvePoints(t *testing.T) {
	f := serve(t, nil)
	for _, name := range []string{"a", "b", "c", "d", "e", "g"} {
		f.ns(name)
	}
	w := f.options.Warehouses[0]
	var events []journal.Event
	for e, err := range w.Journal.Scan(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	resolve := func(s string) (journal.Seq, error) {
		p, err := parsePoint(s)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return p.resolve(t.Context(), w.Journal)
	}
	for i, e := range events {
		for at, want := range map[time.Time]journal.Seq{e.At: e.Seq, e.At.Add(time.Millisecond): e.Seq, e.At.Add(-time.Millisecond): journal.Seq(i)} {
			if got, err := resolve(at.Format(time.RFC3339Nano)); err != nil || got != want {
				t.Errorf("%s: seq %d, %v; want %d", at, got, err, want)
			}
		}
		for _, s := range []string{"seq:" + e.Seq.String(), e.String(), e.ID.String()} {
			if got, err := resolve(s); err != nil || got != e.Seq {
				t.Errorf("%s: seq %d, %v; want %d", s, got, err, e.Seq)
			}
		}
	}
	if _, err := resolve(uuid.NewString()); !errors.Is(err, errNoSuchEvent) {
		t.Errorf("an unknown event: %v", err)
	}
	if _, err := resolve(uuid.NewString() + ":1"); !errors.Is(err, errOtherIncarnation) {
		t.Errorf("another incarnation: %v", err)
	}
}
