package journal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

func TestSeq(t *testing.T) {
	for text, want := range map[string]journal.Seq{"0": 0, "1": 1, "9007199254740993": 1<<53 + 1, "9223372036854775807": 1<<63 - 1} {
		if got, err := journal.ParseSeq(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s = %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "-1", "+1", "1.0", "1e3", "0x1", " 1", "1_000", "01", "00", "9223372036854775808"} {
		if got, err := journal.ParseSeq(bad); err == nil {
			t.Errorf("%q = %v", bad, got)
		}
	}
	if !journal.Seq(0).IsZero() || journal.Seq(1).IsZero() {
		t.Error("only 0 is zero")
	}
}

func TestDigest(t *testing.T) {
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := journal.Sum(nil); got.String() != empty || got.IsZero() || !(journal.Digest{}).IsZero() {
		t.Errorf("sum of nothing = %s", got)
	}
	if got, err := journal.ParseDigest(empty); err != nil || got != journal.Sum(nil) {
		t.Errorf("parse = %s, %v", got, err)
	}
	for _, bad := range []string{"", empty[1:], empty + "0", strings.ToUpper(empty), "g" + empty[1:], " " + empty[1:], "0x" + empty[2:]} {
		if got, err := journal.ParseDigest(bad); err == nil {
			t.Errorf("%q = %v", bad, got)
		}
	}
}

func TestPosition(t *testing.T) {
	p := journal.Position{Incarnation: uuid.MustParse("0f9d2a64-1b7c-4e83-a5d6-7e8f9a0b1c2d"), Seq: 7}
	if p.String() != "0f9d2a64-1b7c-4e83-a5d6-7e8f9a0b1c2d:7" || p.IsZero() || !(journal.Position{}).IsZero() {
		t.Errorf("position = %s", p)
	}
}

func TestEngineIsCutBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.StringN(0, 300, -1).Draw(t, "text")
		got := journal.Engine(agent)
		if len(got) > 256 || !utf8.ValidString(got) || !strings.HasPrefix(strings.ToValidUTF8(agent, "\uFFFD"), got) {
			t.Fatalf("%q becomes %q", agent, got)
		}
		if len(got) < 253 && got != strings.ToValidUTF8(agent, "\uFFFD") {
			t.Fatalf("%q is cut to %d bytes", agent, len(got))
		}
	})
}

func TestActors(t *testing.T) {
	for got, want := range map[journal.Actor]string{
		journal.TokenActor("etl"): "token:etl", journal.CLIActor("root"): "cli:root", journal.SystemActor("purge"): "system:purge", journal.Anonymous: "anonymous",
	} {
		if string(got) != want {
			t.Errorf("actor %q, want %q", got, want)
		}
	}
}
