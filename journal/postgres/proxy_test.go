package postgres_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"puddle/internal/postgrestest"
)

// fault is what a proxy does to the next commit that comes by.
type fault int

const (
	none       fault = iota
	dropBefore       // the server never sees it
	dropAtOnce       // the server sees it, and perhaps runs it when nobody is there
	dropAfter        // the server has answered it, and nobody hears
)

// proxy stands between a journal and its server.
type proxy struct {
	listener net.Listener
	server   string

	mu     sync.Mutex
	fault  fault
	before func() // when a commit has come, and has not gone on
	down   bool   // lets nobody through who is not
	conns  map[net.Conn]bool
}

// through starts a proxy before a database, and gives the URL that leads through it.
func through(t *testing.T, server *postgrestest.Cluster, direct string) (*proxy, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: server.Socket(), conns: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.end()
		serving.Wait()
	})
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = listener.Addr().String()
	u.RawQuery = "sslmode=disable"
	return p, u.String()
}

// set is what is done to the next commit.
func (p *proxy) set(f fault, before func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.before = f, before
}

// admit lets new connections through, or not.
func (p *proxy) admit(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = !all
}

// end cuts all connections, for good.
func (p *proxy) end() {
	p.admit(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.down {
			c.Close()
		} else {
			p.conns[c] = true
		}
	}
	return !p.down
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("unix", p.server)
	if err != nil {
		client.Close()
		return
	}
	if !p.keep(client, server) {
		return
	}
	var mute atomic.Bool // the client is to hear nothing more
	var back sync.WaitGroup
	back.Go(func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || mute.Load() {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
	p.forward(client, server, &mute)
	client.Close()
	server.Close()
	back.Wait()
}

// forward hands on what the client says, until a fault.
func (p *proxy) forward(client io.Reader, server io.Writer, mute *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if isCancel(buffer[:n]) {
			return
		}
		f := none
		if isCommit(buffer[:n]) {
			f = p.meet()
		}
		if f == dropBefore {
			return
		}
		mute.Store(f == dropAfter)
		if _, err := server.Write(buffer[:n]); err != nil || f == dropAtOnce {
			return
		}
	}
}

// meet takes the fault for the commit that has come.
func (p *proxy) meet() fault {
	p.mu.Lock()
	f, before := p.fault, p.before
	p.fault, p.before = none, nil
	p.mu.Unlock()
	if before != nil {
		before()
	}
	return f
}

// isCommit finds the simple query by which a transaction is committed.
func isCommit(message []byte) bool {
	return bytes.HasPrefix(message, []byte("Q")) && strings.HasSuffix(strings.ToLower(string(message)), "commit\x00")
}

// isCancel finds a plea to cancel what another connection does. A network that broke
// lets none through, and the server would then give up a wait for its standbys.
func isCancel(message []byte) bool {
	const request = 80877102
	return len(message) == 16 && binary.BigEndian.Uint32(message[4:]) == request
}
