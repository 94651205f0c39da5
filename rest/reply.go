package rest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// reply is a whole answer, built before its status line is sent (case 104).
type reply struct {
	status   int
	headers  map[string]string
	tag      string   // ETag; empty when there is none
	body     [][]byte // sent one after the other
	plain    [][]byte // what may be kept of a body that holds credentials; nil: all of it
	document shown    // in the body, which memory may have compressed
	err      error    // what lies behind a failure
	gzip     bool     // the body is compressed
	varies   bool     // with what the client takes
}

// noContent is 204.
var noContent = reply{status: http.StatusNoContent}

// ok is 200 with a value as JSON. Nil slices and maps are empty, never null.
func ok(value any) (reply, error) {
	return document(http.StatusOK, value)
}

func document(status int, value any) (reply, error) {
	body, err := json.Marshal(value, json.Deterministic(true))
	return reply{status: status, body: [][]byte{body}}, err
}

// errorBody is Iceberg's error model.
type errorBody struct {
	Error struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    int    `json:"code"`
	} `json:"error"`
}

// reply words the failure. A message may quote what a client sent: bytes that
// are no UTF-8 are replaced.
func (f *failure) reply() reply {
	var body errorBody
	body.Error.Message = strings.ToValidUTF8(f.message, "\uFFFD")
	body.Error.Type, body.Error.Code = f.kind, f.status
	r, err := document(f.status, body)
	if err != nil {
		panic(err) // two strings and a number
	}
	r.headers, r.err = f.headers, f.err
	return r
}

// send writes the reply and answers how many bytes of body went out. A HEAD gets
// neither a body nor the length of one (case 90).
func (r reply) send(w http.ResponseWriter, head bool) (sent int64) {
	h := w.Header()
	for key, value := range r.headers {
		h.Set(key, value)
	}
	values := make([]string, 0, 4)
	set := func(key, value string) {
		values = append(values, value)
		h[key] = values[len(values)-1 : len(values) : len(values)]
	}
	if r.tag != "" {
		set("ETag", r.tag) // Java's clients know no other spelling
	}
	if r.varies {
		set("Vary", "Accept-Encoding")
	}
	if head || len(r.body) == 0 {
		w.WriteHeader(r.status)
		return 0
	}
	if h["Content-Type"] == nil {
		set("Content-Type", "application/json")
	}
	if r.gzip {
		h.Set("Content-Encoding", "gzip")
	}
	set("Content-Length", strconv.Itoa(r.length()))
	w.WriteHeader(r.status)
	for _, part := range r.body {
		n, err := w.Write(part)
		sent += int64(n)
		if err != nil {
			return sent // the client is gone
		}
	}
	return sent
}

// bytes is the whole body.
func (r reply) bytes() []byte { return bytes.Join(r.body, nil) }

// kept is the body without what may not be kept.
func (r reply) kept() []byte {
	if r.plain != nil {
		return bytes.Join(r.plain, nil)
	}
	return r.bytes()
}

func (r reply) length() (n int) {
	for _, part := range r.body {
		n += len(part)
	}
	return n
}
