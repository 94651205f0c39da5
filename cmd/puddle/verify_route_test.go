package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
)

// holding is an answer whose first line is not written before it is let go.
type holding struct {
	http.ResponseWriter
	began chan<- struct{}
	letGo <-chan struct{}
}

func (h holding) Write(p []byte) (int, error) {
	select {
	case h.began <- struct{}{}:
	default:
	}
	<-h.letGo
	return h.ResponseWriter.Write(p)
}

// TestOneVerifyAtATime: while a server verifies, it refuses to do it twice, in words
// that help; afterwards it does it again.
func TestOneVerifyAtATime(t *testing.T) {
	dir := t.TempDir()
	n := memoryNode(t, dir)
	began, letGo := make(chan struct{}, 1), make(chan struct{})
	busy := peered(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.handler.ServeHTTP(holding{w, began, letGo}, r)
	}))
	other := peered(t, n.handler)
	s := &session{stop: t.Context()}
	request := verifyRequest{Level: 1, Sample: 1}
	ends, done := 0, make(chan error, 1)
	count := func(line verifyLine) {
		if line.End != nil {
			ends++
		}
	}
	go func() { done <- askVerify(s, busy, request, count) }()
	<-began
	err := askVerify(s, other, request, func(line verifyLine) { t.Errorf("told %+v", line) })
	var refused *failure
	if !errors.As(err, &refused) || refused.code != codeNoLook || !strings.Contains(err.Error(), "Another verify is running") {
		t.Errorf("a second verify meanwhile: %v", err)
	}
	close(letGo)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := askVerify(s, other, request, count); err != nil || ends != 2 {
		t.Errorf("afterwards: %v, %d of 2 ended", err, ends)
	}
}

func memoryNode(t *testing.T, dir string) *node {
	t.Helper()
	return served(t, configured(t, dir, "metastore: {type: memory}\n"))
}

// served is a node that serves what is configured, until the test ends or it is closed.
func served(t *testing.T, c config.Config) *node {
	t.Helper()
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := acquire(c.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	n, err := openNode(t.Context(), c, zerolog.Nop(), l, serving)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// peered serves a handler to peers on a socket.
func peered(t *testing.T, handler http.Handler) *held {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, peerKey{}, true)
	}}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return &held{by: holder{socket: path}}
}
