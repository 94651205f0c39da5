package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// commandNames are the commands that messages name, where a word begins.
var commandNames = regexp.MustCompile(`(^|[\s"'(])puddle (serve|log|history|at|diff|status|undrop|repoint|recover|journal compact|verify|config check)\b`)

// typed is a message whose commands name the configuration of this run: without it they
// would be of another catalog. It leaves those that name one already.
func (s *session) typed(message string) string {
	if s.file == "" {
		return message
	}
	return withConfig(message, quoted(s.file))
}

func withConfig(message, file string) string {
	return commandNames.ReplaceAllString(message, "${1}puddle -c "+strings.ReplaceAll(file, "$", "$$")+" ${2}")
}

// plain are the words that a shell takes as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./@%+=:,][A-Za-z0-9_./@%+=:,-]*$`)

// quoted is a word for a shell.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// typedLog is a log whose lines name the configuration with their commands. A line is a
// JSON document: a file whose name needs quotes is not named.
func (s *session) typedLog(lines io.Writer) io.Writer {
	if !plain.MatchString(s.file) {
		return lines
	}
	return commandLog{lines, s.file}
}

type commandLog struct {
	lines io.Writer
	file  string
}

// Write implements io.Writer for one line.
func (l commandLog) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("puddle ")) {
		return l.lines.Write(line)
	}
	if _, err := io.WriteString(l.lines, withConfig(string(line), l.file)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// fileOf is the configuration that a command line names, also one that does not parse.
func fileOf(args []string) string {
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case name == "--config" && joined:
			return value
		case (arg == "-c" || arg == "--config") && i+1 < len(args):
			return args[i+1]
		case strings.HasPrefix(arg, "-c") && len(arg) > 2:
			return arg[2:]
		}
	}
	return ""
}
