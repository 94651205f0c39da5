package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"puddle/journal"
	"puddle/rest/access"
)

// maxSocketPath is what every system takes as the path of a socket.
const maxSocketPath = 100

// socket is the listener for commands on the same machine. Only this process's
// user, and root, get in.
type socket struct {
	net.Listener
	path string
	dir  string // made for it, to be removed; empty when it is in the data folder
}

// listenSocket listens in the data folder, or, where its path is too long for a
// socket, in a temporary folder of its own. The caller holds the lock: what is
// in the way was left behind.
func listenSocket(dataDir string) (*socket, error) {
	path, err := filepath.Abs(filepath.Join(dataDir, "puddle.sock"))
	if err != nil {
		return nil, err
	}
	s := &socket{path: path}
	if len(path) > maxSocketPath {
		if s.dir, err = os.MkdirTemp("", "puddle-"); err != nil {
			return nil, err
		}
		s.path = filepath.Join(s.dir, "puddle.sock")
	}
	if err := os.Remove(s.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if s.Listener, err = net.Listen("unix", s.path); err != nil {
		return nil, errors.Join(err, s.tidy())
	}
	if err := os.Chmod(s.path, 0o600); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Accept waits for a connection of a user who may come in; others are closed.
func (s *socket) Accept() (net.Conn, error) {
	for {
		conn, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := peerUser(conn.(*net.UnixConn))
		if err == nil && (uid == 0 || uid == os.Getuid()) {
			return &peer{conn, journal.CLIActor(userName(uid))}, nil
		}
		conn.Close()
	}
}

// Close stops listening and removes the socket. Idempotent.
func (s *socket) Close() error {
	err := s.Listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, s.tidy())
}

func (s *socket) tidy() error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// peer is a connection whose other end is known.
type peer struct {
	net.Conn
	actor journal.Actor
}

// trust marks the requests of a peer's connection as that user's.
func trust(ctx context.Context, conn net.Conn) context.Context {
	if p, ok := conn.(*peer); ok {
		return access.WithActor(context.WithValue(ctx, peerKey{}, true), p.actor)
	}
	return ctx
}

// userName is the name of a user, or the number where there is no name.
func userName(uid int) string {
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}
