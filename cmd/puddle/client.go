package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/rest/access"
)

// client sends the requests of puddle's own routes, to the running server or to
// a node that it opened itself.
type client struct {
	http  http.Client
	live  bool // a server is running
	close func() error
}

// ask lends a client to use for reports.
func (s *session) ask(c config.Config, use func(*client) error) error {
	return s.lend(c, reporting, use)
}

// change lends a client to use for a change.
func (s *session) change(use func(*client) error) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	return s.lend(c, changing, use)
}

func (s *session) lend(c config.Config, p purpose, use func(*client) error) error {
	asked, err := s.connect(c, p)
	if err != nil {
		return err
	}
	return errors.Join(use(asked), asked.close())
}

// connect finds the server that has the data folder open, or opens it.
func (s *session) connect(c config.Config, p purpose) (*client, error) {
	l, err := acquire(c.DataDir)
	var busy *held
	switch {
	case c.Metastore.Type == config.Postgres:
		if errors.As(err, &busy) && busy.by.socket != "" {
			return dial(busy)
		}
		// Nothing of the catalog is in the folder, and a replica may start meanwhile.
		if err := l.release(); err != nil {
			return nil, err
		}
		l = nil
	case errors.As(err, &busy):
		return dial(busy)
	case c.Metastore.Type == config.Memory && (err == nil || errors.Is(err, os.ErrNotExist)):
		return nil, errors.Join(fail(codeNoLook, "with metastore.type memory the catalog is in its server alone, and none runs over %s", c.DataDir), l.release())
	case errors.Is(err, os.ErrNotExist):
		return nil, fail(codeNoLook, "there is no catalog in %s yet", c.DataDir)
	case err != nil:
		return nil, noLook(err)
	}
	log := s.logger(c.Logging).Level(max(zerolog.WarnLevel, logLevel(c.Logging.Level)))
	n, err := openNode(s.stop, c, log, l, p)
	if err != nil {
		return nil, err
	}
	actor := journal.CLIActor(userName(os.Getuid()))
	return &client{http: http.Client{Transport: inProcess{n.handler, actor}}, close: n.Close}, nil
}

// patience is how long a request may take: one of a report that opened the files
// itself, as long as whoever asked waits.
func (n *node) patience() time.Duration {
	if n.purpose == reporting {
		return 1000 * time.Hour
	}
	return n.config.Server.RequestTimeout
}

// dial reaches the server through its socket.
func dial(busy *held) (*client, error) {
	if busy.by.socket == "" {
		return nil, fail(codeNoLook, "%w, which does not answer commands (yet)", busy)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", busy.by.socket)
	}}
	return &client{http: http.Client{Transport: transport}, live: true, close: func() error {
		transport.CloseIdleConnections()
		return nil
	}}, nil
}

// get answers the document at a path below /api/puddle/v1. What the server
// refuses has the exit code that fits.
func (c *client) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	return c.send(ctx, http.MethodGet, path+"?"+query.Encode(), nil)
}

// pages gets page after page of an answer, until one has no next; the query may be
// changed in between.
func (c *client) pages(ctx context.Context, path string, query url.Values, take func(body []byte) error) error {
	query.Set("limit", "10000")
	for {
		body, err := c.get(ctx, path, query)
		if err != nil {
			return err
		}
		var page struct {
			Next string `json:"next"`
		}
		if err := errors.Join(json.Unmarshal(body, &page), take(body)); err != nil || page.Next == "" {
			return err
		}
		query.Set("next", page.Next)
	}
}

// post answers what became of a change that is asked for with a JSON body.
func (c *client) post(ctx context.Context, path string, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, http.MethodPost, path, bytes.NewReader(data))
}

func (c *client) send(ctx context.Context, method, target string, body io.Reader) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://puddle/api/puddle/v1"+target, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "puddle")
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, unanswered(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, unanswered(err)
	}
	if answer.StatusCode == http.StatusOK {
		return data, nil
	}
	return nil, refusedBy(answer.Status, answer.StatusCode, data)
}

// unanswered words a failure on the way to the server; the URL is of no use to
// people.
func unanswered(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return fail(codeNoLook, "%w: %w", errUnanswered, err)
}

// errUnanswered: no answer came, or not all of it.
var errUnanswered = errors.New("the server did not answer")

// asked are the words of the command line for the parameters of the routes.
var asked = strings.NewReplacer(
	`Query parameter "after"`, "--since", `Query parameter "until"`, "--until", `Query parameter "kind"`, "--kind",
	`Query parameter "at"`, "the point", `Query parameter "from"`, "the first point", `Query parameter "to"`, "the second point",
	`Query parameter "identifier"`, "table", `Query parameter "uuid"`, "table",
	`"table" of The request`, "table", `"as" of The request`, "--as", "(allow-rewind)", "(--allow-rewind)", "(as)", "(--as)", "(force ", "(--force ",
)

// refusedBy words an answer of the error model.
func refusedBy(status string, code int, body []byte) error {
	var model struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	message := status
	if err := json.Unmarshal(body, &model); err == nil && model.Error.Message != "" {
		message = model.Error.Message
	}
	return fail(codeOf(code, model.Error.Type), "%s", printable(asked.Replace(message)))
}

// codeOf is the exit code that fits a status and a type of the error model.
func codeOf(status int, kind string) int {
	switch {
	case kind == "UnsafeChangeException":
		return codeRefused
	case kind == "CommitStateUnknownException":
		return codeUnknown
	case status == http.StatusBadRequest, kind == "NoSuchWarehouseException":
		return codeUsage
	case status == http.StatusNotFound, status == http.StatusConflict, status == http.StatusNotAcceptable:
		return codeFindings
	}
	return codeNoLook
}

// inProcess calls a handler as the user who runs the command.
type inProcess struct {
	handler http.Handler
	actor   journal.Actor
}

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	received := request.Clone(access.WithActor(request.Context(), p.actor))
	received.RequestURI = request.URL.RequestURI()
	if received.Body == nil {
		received.Body = http.NoBody
	}
	w := &written{header: http.Header{}, status: http.StatusOK}
	p.handler.ServeHTTP(w, received)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: request,
	}, nil
}

// written is an answer in memory.
type written struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *written) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *written) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *written) Write(p []byte) (int, error) { return w.body.Write(p) }
