package rest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// raw sends a request line as it stands, which no HTTP client would.
func raw(t *testing.T, address, line, body string) answer {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "%s HTTP/1.1\r\nHost: puddle\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", line, len(body), body)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, data}
}

// Case 82 on a real connection: odd paths reach the handler as they were sent.
func TestCase82_OverTheWire(t *testing.T) {
	f := serve(t, nil)
	f.ns("a/b")
	f.table("a%2Fb", "x|y")
	server := httptest.NewUnstartedServer(f.handler)
	server.Config.DisableGeneralOptionsHandler = true
	server.Start()
	defer server.Close()
	address := server.Listener.Addr().String()
	for line, kind := range map[string]string{
		"GET //v1/config": "NoSuchEndpointException",
		"GET " + v1 + "/namespaces/a%2Fb/tables/..":   "NoSuchTableException",
		"POST " + v1 + "/namespaces/../tables/t":      "NoSuchTableException",
		"GET " + v1 + "/namespaces/a/b":               "NoSuchEndpointException",
		"GET " + v1 + "/namespaces/a%2Fb/tables/x//y": "NoSuchEndpointException",
		"DELETE " + v1 + "/namespaces/%2e%2e":         "NoSuchNamespaceException",
		"OPTIONS *":                                   "NoSuchEndpointException",
		"GET " + v1 + "/namespaces/\xff/tables/t":     "NoSuchTableException",
	} {
		f.fails(raw(t, address, line, `{"updates":[]}`), 404, kind)
	}
	f.must(200, raw(t, address, "GET "+v1+"/namespaces/a%2Fb/tables/x|y", ""))
	f.must(200, raw(t, address, "GET http://elsewhere"+v1+"/namespaces/a%2Fb", ""))
}

// Case 99 on a real connection: the header is spelled as Java's clients look for
// it, for which Go has another spelling.
func TestCase99_SpellingOverTheWire(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	server := httptest.NewServer(f.handler)
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: puddle\r\nConnection: close\r\nIf-None-Match: *\r\n\r\n", tablePath)
	text, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 304 ") || !strings.Contains(head, "\r\nETag: W/\"") || body != "" {
		t.Errorf("%s", text)
	}
}

// Commits of many clients to one table all land, each once.
func TestConcurrentCommits(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	const clients = 16
	var wait sync.WaitGroup
	statuses := make([]int, clients)
	for i := range clients {
		wait.Go(func() {
			body := fmt.Sprintf(`{"updates":[{"action":"set-properties","updates":{"client-%d":"was here"}}]}`, i)
			statuses[i] = f.do("POST", v1+"/namespaces/n/tables/t", body).StatusCode
		})
	}
	wait.Wait()
	var l struct {
		Metadata struct {
			Properties map[string]string
			Log        []any `json:"metadata-log"`
		}
	}
	f.do("GET", v1+"/namespaces/n/tables/t", "").into(t, &l)
	for i, status := range statuses {
		if _, there := l.Metadata.Properties[fmt.Sprintf("client-%d", i)]; status != 200 || !there {
			t.Errorf("client %d: status %d, in the table %v", i, status, there)
		}
	}
	equal(t, "versions before", len(l.Metadata.Log), clients)
}
