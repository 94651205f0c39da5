package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/projections"
	"puddle/recover/verify"
)

// verifyPath is where a server takes a verifyRequest from a peer on its socket, and
// answers verifyLines, one a line, as they come; 429 while it answers another.
const verifyPath = "/api/puddle/v1/verify"

// peerKey marks the connections of the socket.
type peerKey struct{}

// mountVerify serves verifyPath to peers, and leaves all else to the handler that is
// there. Runs end when stop does, which is what the node was opened with.
func (n *node) mountVerify(stop context.Context) error {
	next := n.handler
	n.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != verifyPath || r.Method != http.MethodPost || r.Context().Value(peerKey{}) == nil {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(stop, cancel)()
		n.verify(ctx, w, r.Body)
	})
	return nil
}

func (n *node) verify(ctx context.Context, w http.ResponseWriter, body io.Reader) {
	var asked verifyRequest
	if err := json.UnmarshalRead(io.LimitReader(body, 1<<16), &asked); err != nil || asked.Level < 1 || asked.Level > verify.MaxLevel {
		http.Error(w, "the server is of another build", http.StatusBadRequest)
		return
	}
	if !n.verifying.TryLock() {
		refuseVerify(w)
		return
	}
	defer n.verifying.Unlock()
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{}) // it takes as long as it takes
	_ = control.SetReadDeadline(time.Time{})
	v := n.verification(asked)
	var mu sync.Mutex
	var told time.Time
	v.say = func(line verifyLine) {
		mu.Lock()
		defer mu.Unlock()
		if line.Progress != nil && time.Since(told) < progressEvery {
			return
		}
		told = time.Now()
		data, err := json.Marshal(line)
		if err != nil {
			return // the end is missing, which says so
		}
		_, _ = w.Write(append(data, '\n'))
		_ = control.Flush()
	}
	defer since(time.Now(), n.metrics.Verified)
	v.run(ctx)
}

// verification is one of what the server has open. Who runs it hears of it.
func (n *node) verification(asked verifyRequest) *verification {
	v := &verification{
		verifyRequest: asked, all: asked.Warehouse == "", journal: n.journal, tables: n.tables,
		ephemeral: n.config.Metastore.Type == config.Memory,
		serving:   func(id uuid.UUID) projections.Reader { return n.recorder.Reader(id) },
	}
	if !v.ephemeral {
		v.openFold, v.progress.path = n.openFold, progressPath(n.config.DataDir)
	}
	if n.turnsAtFollowing() {
		v.makeTables, v.beside = n.makeTables, true
	}
	for _, one := range n.warehouses {
		if asked.Warehouse == "" || one.Name == asked.Warehouse {
			v.warehouses = append(v.warehouses, one)
		}
	}
	return v
}

// refuseVerify answers that somebody else's verification runs.
func refuseVerify(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "60")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, `{"error":{"message":"Another verify is running in this server: nothing was looked at; run it again when that one has ended",`+
		`"type":"SlowDownException","code":429}}`)
}

// progressEvery is how often progress is told.
const progressEvery = time.Second

// askVerify has the running server verify.
func askVerify(s *session, busy *held, asked verifyRequest, take func(verifyLine)) error {
	c, err := dial(busy)
	if err != nil {
		return err
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(s.stop, http.MethodPost, "http://puddle"+verifyPath, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return unanswered(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		data, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
		return errors.Join(err, refusedBy(answer.Status, answer.StatusCode, data), c.close())
	}
	lines := jsontext.NewDecoder(answer.Body)
	for {
		var line verifyLine
		err := json.UnmarshalDecode(lines, &line)
		if errors.Is(err, io.EOF) {
			return c.close()
		}
		if err != nil {
			return unanswered(err)
		}
		take(line)
	}
}
