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
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/internal/warehouse/dir"
)

// Limits of connections that no key sets.
const (
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 64 << 10 // a path may hold an identifier of 8 KiB, escaped
)

// server is a node that listens.
type server struct {
	node   *node
	log    zerolog.Logger
	http   *http.Server
	tcp    net.Listener
	socket *socket
}

// startServer opens the data folder, which is made where it is missing, and
// listens. Requests are answered once run is called.
func startServer(ctx context.Context, c config.Config, log zerolog.Logger) (*server, error) {
	if err := makeDataDir(c.DataDir); err != nil {
		return nil, fail(codeNoLook, "data-dir: %w", err)
	}
	l, err := acquire(c.DataDir)
	if err != nil {
		return nil, fail(codeNoLook, "data-dir: %w", err)
	}
	n, err := openNode(ctx, c, log, l, serving)
	if err != nil {
		return nil, err
	}
	s := &server{node: n, log: log, http: newHTTP(n, log)}
	if err := s.listen(l); err != nil {
		return nil, errors.Join(noLook(err), s.close())
	}
	return s, nil
}

// makeDataDir makes the folder, durably: the journal in it would be lost with it.
func makeDataDir(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return dir.MakeRoot(path, 0o700)
}

func newHTTP(n *node, logger zerolog.Logger) *http.Server {
	return &http.Server{
		Handler: n.handler, ConnContext: trust,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime + n.config.Server.RequestTimeout,
		WriteTimeout: 2*headerTime + 2*n.config.Server.RequestTimeout, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaderBytes,
		// The handler answers OPTIONS *, once it knows who asks.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(logger.With().Str("level", "warn").Logger(), "", 0),
	}
}

// listen opens address and socket, and tells others where they are.
func (s *server) listen(l *lock) (err error) {
	if s.tcp, err = net.Listen("tcp", s.node.config.Server.Addr); err != nil {
		return fmt.Errorf("server.addr: %w", err)
	}
	if s.socket, err = listenSocket(s.node.config.DataDir); err != nil {
		return err
	}
	address := s.tcp.Addr().String()
	if err := l.publish(holder{os.Getpid(), s.socket.path, address}); err != nil {
		return err
	}
	line := s.log.Info().Str("address", address).Str("socket", s.socket.path)
	for _, w := range s.node.warehouses {
		line.Str("warehouse-"+w.Name, w.Root.URL)
	}
	line.Msg("listening")
	return nil
}

// run serves until stop ends, then lets requests under way finish, for as long
// as the grace allows and force does not end, and closes everything.
func (s *server) run(stop, force context.Context) error {
	failed := make(chan error, 2)
	for _, l := range []net.Listener{s.tcp, s.socket} {
		go func() { failed <- s.http.Serve(l) }()
	}
	var err error
	select {
	case <-stop.Done():
		s.log.Info().Msg("stopping")
	case err = <-failed:
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
func (s *server) close() error {
	errs := []error{s.http.Close()}
	if s.tcp != nil {
		s.tcp.Close()
	}
	if s.socket != nil {
		errs = append(errs, s.socket.Close())
	}
	return errors.Join(append(errs, s.node.Close())...)
}
