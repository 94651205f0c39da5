package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/internal/warehouse/dir"
	"puddle/journal"
)

// Limits of connections that no key sets.
const (
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 64 << 10 // a path may hold an identifier of 8 KiB, escaped
)

// server is a node that listens.
type server struct {
	node    *node
	lock    *lock
	log     zerolog.Logger
	http    *http.Server
	handler switched
	tcp     net.Listener
	socket  *socket
	failed  chan error // holds what each listener ends with
}

// startServer opens the data folder, which is made where it is missing. It
// listens from the beginning, and says that it is starting until all is open.
func startServer(ctx context.Context, c config.Config, log zerolog.Logger) (*server, error) {
	s, err := newServer(c, log)
	if err != nil {
		return nil, err
	}
	return s, s.open(ctx)
}

// newServer is a server that has the data folder and listens.
func newServer(c config.Config, log zerolog.Logger) (*server, error) {
	if err := makeDataDir(c.DataDir); err != nil {
		return nil, fail(codeNoLook, "data-dir: %w", err)
	}
	l, err := acquire(c.DataDir)
	if errors.As(err, new(*held)) {
		return nil, fail(codeNoLook, "data-dir: %w: stop that first, or give this server another data-dir", err)
	}
	if err != nil {
		return nil, fail(codeNoLook, "data-dir: %w", err)
	}
	s := &server{node: newNode(c, log, serving, journal.NewClock()), log: log, lock: l, failed: make(chan error, 2)}
	s.http = newHTTP(c.Server, &s.handler, log)
	if err := s.listen(l); err != nil {
		return nil, errors.Join(noLook(err), s.release())
	}
	return s, nil
}

// open opens the node and serves it. After an error everything is given back.
func (s *server) open(ctx context.Context) error {
	if _, err := s.node.open(ctx, s.release); err != nil {
		return err
	}
	s.handler.to(s.node.handler)
	s.tell("listening")
	return nil
}

// release lets others have the data folder, once nobody can reach this server.
func (s *server) release() error { return errors.Join(s.deaf(), s.lock.release()) }

// makeDataDir makes the folder, durably: the journal in it would be lost with it.
func makeDataDir(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return dir.MakeRoot(path, 0o700)
}

func newHTTP(c config.Server, handler http.Handler, logger zerolog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ConnContext: trust,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime + c.RequestTimeout,
		WriteTimeout: 2*headerTime + 2*c.RequestTimeout, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaderBytes,
		// The handler answers OPTIONS *, once it knows who asks.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(logger.With().Str("level", "warn").Logger(), "", 0),
	}
}

// listen opens address and socket, tells others where they are, and answers that
// it is starting.
func (s *server) listen(l *lock) error {
	starting, err := s.node.starting()
	if err != nil {
		return err
	}
	s.handler.to(starting)
	tcp, err := net.Listen("tcp", s.node.config.Server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("server.addr: %w: stop what listens there, or set another server.addr", err)
	}
	if err != nil {
		return fmt.Errorf("server.addr: %w", err)
	}
	s.tcp = &joining{Listener: tcp}
	if s.socket, err = listenSocket(s.node.config.DataDir); err != nil {
		return err
	}
	if err := l.publish(holder{os.Getpid(), s.socket.path, s.tcp.Addr().String()}); err != nil {
		return err
	}
	for _, l := range []net.Listener{s.tcp, s.socket} {
		go func() { s.failed <- s.http.Serve(l) }()
	}
	s.tell("starting")
	return nil
}

// tell logs where the server is.
func (s *server) tell(what string) {
	line := s.log.Info().Str("address", s.tcp.Addr().String()).Str("socket", s.socket.path)
	for _, w := range s.node.config.Warehouses {
		line.Str("warehouse-"+w.Name, w.Root.URL)
	}
	line.Msg(what)
}

// run serves until stop ends, then lets requests under way finish, for as long
// as the grace allows and force does not end, and closes everything.
func (s *server) run(stop, force context.Context) error {
	var err error
	select {
	case <-stop.Done():
		s.log.Info().Msg("stopping")
	case err = <-s.failed:
		err = noLook(err)
	}
	grace, cancel := context.WithTimeout(force, s.node.config.Server.ShutdownGrace)
	defer cancel()
	if late := s.http.Shutdown(grace); late != nil {
		s.log.Warn().Err(late).Msg("requests were cut off")
	}
	err = errors.Join(err, s.close())
	s.log.Info().Msg("stopped")
	return err
}

// close gives back what is open: connections first. Who was cut off and is still
// in the handler is answered with errors by what is closed under it.
func (s *server) close() error { return errors.Join(s.deaf(), s.node.Close()) }

// deaf ends all connections and listens no more. Idempotent.
func (s *server) deaf() error {
	errs := []error{s.http.Close()}
	if s.tcp != nil {
		s.tcp.Close()
	}
	if s.socket != nil {
		errs = append(errs, s.socket.Close())
	}
	return errors.Join(errs...)
}
