package main

import (
	"errors"
	"fmt"
	"testing"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/recover"
)

// Case 83: names from clients cannot give orders to a terminal.
func TestCase83_Printable(t *testing.T) {
	for in, want := range map[string]string{
		"sales.orders":    "sales.orders",
		"größe 東京 + %":    "größe 東京 + %",
		"a\x1b[2Jb":       `a\x1b[2Jb`,
		"a\nb\tc\rd\x00e": `a\nb\tc\rd\x00e`,
		"abc\u202egnp":    `abc\u202egnp`,
		"no\u00a0break":   `no\u00a0break`,
		"bad\xff":         "bad\uFFFD",
		"quote'":          "quote'",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for want, errs := range map[int][]error{
		codeDone:     {nil},
		codeFindings: {errors.New("anything"), fail(codeFindings, "missing")},
		codeUsage:    {&config.Error{}, noLook(fail(codeUsage, "usage"))},
		codeNoLook:   {noLook(errors.New("disk")), noLook(recover.ErrUnborn), noLook(&held{})},
		codeRefused: {
			noLook(&recover.Refusal{}), noLook(damaged(fmt.Errorf("journal: %w", &journal.Damage{}))), noLook(journal.ErrFormat),
			errors.Join(noLook(fail(codeRefused, "memory")), errors.New("closing")),
		},
		codeUnknown: {noLook(fmt.Errorf("birth: %w", journal.ErrUnknownOutcome))},
	} {
		for _, err := range errs {
			if got := exitCode(err); got != want {
				t.Errorf("%v: exit code %d, want %d", err, got, want)
			}
		}
	}
}
