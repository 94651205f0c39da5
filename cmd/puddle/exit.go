package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/recover"
)

// The exit codes, the same everywhere (interface §2).
const (
	codeDone     = 0
	codeFindings = 1
	codeUsage    = 2
	codeWarnings = 3
	codeNoLook   = 4
	codeRefused  = 5
	codeUnknown  = 6
)

var codeMeanings = map[int]string{
	codeDone:     "done, clean",
	codeFindings: "findings, or something could not be done",
	codeUsage:    "usage or configuration",
	codeWarnings: "warnings only",
	codeNoLook:   "could not look: storage, journal or server unreachable, or in use",
	codeRefused:  "refused for safety",
	codeUnknown:  "an unknown outcome is left",
}

// failure is an error that knows its exit code.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...)}
}

// noLook gives an error the code of what could not be looked at, unless it has
// one.
func noLook(err error) error {
	var known *failure
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &failure{codeNoLook, err}
}

// damaged refuses a journal whose bytes are not what was written. Damage of no warehouse
// is of the file's pages: all of them are looked at before anything is recovered.
func damaged(err error) error {
	var damage *journal.Damage
	switch {
	case !errors.As(err, &damage):
		return err
	case damage.Warehouse == uuid.Nil:
		return &recover.Refusal{Reason: err.Error(), Command: "puddle verify", Err: err}
	}
	return &recover.Refusal{Reason: err.Error(), Command: "puddle recover", Err: err}
}

// next names the command that comes after a refusal: of a recovery, a look at what it
// would do.
func next(err error) string {
	var refusal *recover.Refusal
	if !errors.As(err, &refusal) || refusal.Command == "" {
		return ""
	}
	command, _, _ := strings.Cut(refusal.Command, ",")
	if strings.HasPrefix(command, "puddle recover") {
		command += " --dry-run"
	}
	return "; next: " + command
}

// exitCode is what the process ends with after an error. What an error is says
// more than where it happened.
func exitCode(err error) int {
	var invalid *config.Error
	var refusal *recover.Refusal
	var known *failure
	var said plugin
	switch {
	case err == nil:
		return codeDone
	case errors.As(err, &said):
		return int(said)
	case errors.As(err, &invalid):
		return codeUsage
	case errors.As(err, &refusal), errors.Is(err, journal.ErrFormat):
		return codeRefused
	case errors.Is(err, journal.ErrUnknownOutcome):
		return codeUnknown
	case errors.As(err, &known):
		return known.code
	}
	return codeFindings
}

// exits is implemented by commands: the codes they can end with, beside usage.
type exits interface{ exits() []int }

func codesOf(command any) []int {
	codes := []int{codeDone, codeUsage}
	if c, ok := command.(exits); ok {
		codes = append(codes, c.exits()...)
	}
	return codes
}

// exitHelp is the end of every help text.
func exitHelp(codes []int) string {
	slices.Sort(codes)
	text := "\nExit codes:\n"
	for _, code := range slices.Compact(codes) {
		text += fmt.Sprintf("  %d  %s\n", code, codeMeanings[code])
	}
	return text
}
