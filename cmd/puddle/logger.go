package main

import (
	"io"
	"net/http"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/rest"
)

// logger logs as configured: lines for people, in colours on a terminal, or JSON.
func (s *session) logger(c config.Logging) zerolog.Logger {
	out := s.stderr
	if c.Format == "text" {
		out = zerolog.ConsoleWriter{Out: out, NoColor: !isTerminal(out), TimeFormat: logTime, TimeLocation: time.UTC}
	}
	return zerolog.New(zerolog.SyncWriter(s.typedLog(out))).Level(logLevel(c.Level)).Hook(zerolog.HookFunc(stampLine))
}

// logTime is how lines are dated: UTC, in milliseconds, as events are.
const logTime = "2006-01-02T15:04:05.000Z07:00"

func stampLine(line *zerolog.Event, _ zerolog.Level, _ string) {
	line.Str(zerolog.TimestampFieldName, time.Now().UTC().Format(logTime))
}

// logLevel reads a level that the configuration has checked.
func logLevel(name string) zerolog.Level {
	level, err := zerolog.ParseLevel(name)
	if err != nil {
		return zerolog.InfoLevel
	}
	return level
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// logRequest writes one line a request. Server faults are errors, but for changes
// that are refused for want of room, of which the state was logged; what is polled
// by machines is for debugging only.
func logRequest(log zerolog.Logger) func(rest.Request) {
	return func(r rest.Request) {
		line := log.WithLevel(requestLevel(r))
		line.Str("request-id", r.ID).Str("method", r.Method).Str("path", r.Path).Int("status", r.Status).
			Dur("took", r.Duration.Round(time.Microsecond)).Int64("in", r.BytesIn).Int64("out", r.BytesOut)
		optional(line, "route", r.Route)
		optional(line, "warehouse", r.Warehouse)
		optional(line, "actor", string(r.Actor))
		optional(line, "engine", r.Engine)
		optional(line, "stack", string(r.Stack))
		if r.Err != nil {
			line.Err(r.Err)
		}
		line.Msg("request")
	}
}

func optional(line *zerolog.Event, key, value string) {
	if value != "" {
		line.Str(key, value)
	}
}

func requestLevel(r rest.Request) zerolog.Level {
	switch {
	case r.Status == http.StatusInsufficientStorage:
		return zerolog.WarnLevel
	case r.Status >= 500:
		return zerolog.ErrorLevel
	case r.Route == "/healthz" || r.Route == "/readyz" || r.Route == "/metrics":
		return zerolog.DebugLevel
	}
	return zerolog.InfoLevel
}

// recordingLevel is of changes that were not recorded. That a disk is full is logged
// when it becomes so.
func recordingLevel(err error) zerolog.Level {
	if isFull(err) {
		return zerolog.DebugLevel
	}
	return zerolog.ErrorLevel
}
