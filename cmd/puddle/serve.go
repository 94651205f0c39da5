package main

import (
	"context"
	"errors"
)

// serveCmd runs the catalog.
type serveCmd struct{}

// Help is the detail of the help text.
func (serveCmd) Help() string {
	return "Serves until SIGTERM or SIGINT, finishes the requests under way and stops; a second signal ends them."
}

func (serveCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused, codeUnknown} }

// Run serves.
func (serveCmd) Run(s *session) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	moreProcessors()
	started, err := startServer(s.stop, c, s.logger(c.Logging))
	if errors.Is(err, context.Canceled) && s.stop.Err() != nil {
		return nil // stopped while it was starting
	}
	if err != nil {
		return err
	}
	defer rarerCollections().end() // opening the tables has a pace of its own
	return started.run(s.stop, s.force)
}
