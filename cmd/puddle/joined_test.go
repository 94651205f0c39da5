package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// sent is a connection that remembers what each write brought.
type sent struct {
	net.Conn
	all []string
}

func (w *sent) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

// Only a full buffer that begins an answer with more to come is held back, until that
// comes.
func TestJoinedHoldsOnlyBeginnings(t *testing.T) {
	full := func(head string) string { return head + strings.Repeat("x", writeBuffer-len(head)) }
	for name, c := range map[string]struct {
		first string
		held  bool
	}{
		"more to come":      {full("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nETag: x\r\n\r\n"), true},
		"all is there":      {full("HTTP/1.1 200 OK\r\nContent-Length: 4055\r\n\r\n"), false},
		"not full":          {"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nx", false},
		"a head alone":      {"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nX: " + strings.Repeat("x", writeBuffer-48) + "\r\n\r\n", false},
		"no end of headers": {full("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nX: "), false},
		"chunks":            {full("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), false},
		"in the middle":     {full("Content-Length: 5000\r\n\r\n"), false},
		"length in a body":  {full("HTTP/1.1 200 OK\r\n\r\n\r\nContent-Length: 5000\r\n"), false},
		"no length":         {full("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), false},
	} {
		var to sent
		conn := joined{Conn: &to, idle: &(&joining{}).idle}
		n, err := conn.Write([]byte(c.first))
		if n != len(c.first) || err != nil || (len(to.all) == 0) != c.held {
			t.Errorf("%s: %d, %v, %d writes", name, n, err, len(to.all))
		}
		if n, err := conn.Write([]byte("rest")); n != len("rest") || err != nil || conn.held != nil {
			t.Errorf("%s: the rest: %d, %v", name, n, err)
		}
		if got := strings.Join(to.all, ""); got != c.first+"rest" {
			t.Errorf("%s: %d bytes came, of %d", name, len(got), len(c.first)+4)
		}
	}
}

// Answers of all lengths around the buffer's come whole and in their order, on one
// connection.
func TestJoinedAnswersComeWhole(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Path[1:])
		if r.URL.RawQuery == "" {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		body := pattern(size)
		w.Write(body[:size/3])
		w.Write(body[size/3:])
	})}
	go server.Serve(&joining{Listener: l})
	t.Cleanup(func() { server.Close() })
	var client http.Client
	for size := writeBuffer - 300; size < writeBuffer+10; size++ {
		for _, of := range []string{fmt.Sprint(size), fmt.Sprint(size, "?chunked"), fmt.Sprint(20 * size)} {
			of = strings.ReplaceAll(of, " ", "")
			answer, err := client.Get("http://" + l.Addr().String() + "/" + of)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			want, _ := strconv.Atoi(strings.TrimSuffix(of, "?chunked"))
			if err != nil || !bytes.Equal(body, pattern(want)) {
				t.Fatalf("%s: %d bytes, %v", of, len(body), err)
			}
		}
	}
}

func pattern(size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte('a' + i%23)
	}
	return text
}
