package recover

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds what is said of a file whose content may be anything.
const maxLine = 400

// oneLine is an error as one line of printable characters.
func oneLine(err error) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, err.Error())
	if len(line) <= maxLine {
		return line
	}
	end := maxLine
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}

// inOneLine is an error that says what another says, in one line, and wraps it.
func inOneLine(err error) error {
	var shown lined
	if err == nil || errors.As(err, &shown) {
		return err
	}
	return lined{err}
}

type lined struct{ error }

// Error is one line.
func (l lined) Error() string { return oneLine(l.error) }

// Unwrap gives the whole of it.
func (l lined) Unwrap() error { return l.error }
