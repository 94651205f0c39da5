package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is everything that is wrong with a file.
type Error struct {
	File     string
	Problems []Problem // ascending by line; at least one
}

// Problem is one thing wrong. Line is 0 where there is none to name, Key is ""
// where the file is no YAML.
type Problem struct {
	Line int
	Key  string
	Text string
}

// Error lists the problems, one a line: file, line, key, and what is wrong.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.File
		if p.Line > 0 {
			lines[i] += fmt.Sprintf(":%d", p.Line)
		}
		if p.Key != "" {
			lines[i] += ": " + p.Key
		}
		lines[i] += ": " + p.Text
	}
	return strings.Join(lines, "\n")
}

// fail notes what is wrong with a key. The line is the key's, or that of the
// nearest block around it that the file has.
func (d *decoder) fail(key, format string, args ...any) {
	line, known := 0, false
	for at := key; at != "" && !known; at = above(at) {
		line, known = d.lines[at]
	}
	d.problems = append(d.problems, Problem{line, key, fmt.Sprintf(format, args...)})
}

func (d *decoder) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(d.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return &Error{d.file, d.problems}
}
