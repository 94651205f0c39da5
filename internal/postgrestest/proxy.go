package postgrestest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
)

// Fault is what a proxy does to a commit.
type Fault int

// What may become of a commit that comes by.
const (
	Pass       Fault = iota
	DropBefore       // the server never sees it
	DropAtOnce       // the server sees it, and perhaps runs it when nobody is there
	DropAfter        // the server has answered it, and nobody hears
)

// Proxy is a network between a server and those who use it, which can fail.
// Connections must not be encrypted. Safe for concurrent use.
type Proxy struct {
	listener net.Listener
	server   string // a socket
	serving  sync.WaitGroup

	mu       sync.Mutex
	onCommit func() Fault
	down     bool          // lets nobody new through
	open     chan struct{} // closed: what comes goes on
	conns    map[net.Conn]bool
}

// Through starts a proxy before the server. Close ends it.
func (c *Cluster) Through() (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, server: c.Socket(), open: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(p.open)
	p.serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.serving.Go(func() { p.serve(client) })
		}
	})
	return p, nil
}

// URL leads through the proxy where a URL of the cluster leads without it.
func (p *Proxy) URL(direct string) (string, error) {
	u, err := url.Parse(direct)
	if err != nil {
		return "", err
	}
	u.Host, u.RawQuery = p.listener.Addr().String(), "sslmode=disable"
	return u.String(), nil
}

// OnCommit asks f about each commit that has come and has not gone on. Commits of
// several connections may ask at the same time. nil: all pass.
func (p *Proxy) OnCommit(f func() Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onCommit = f
}

// Admit lets new connections through, or not.
func (p *Proxy) Admit(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = !all
}

// Cut ends the connections that are there.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

// Hold lets nothing pass, and nobody hear that it does not, until Release: then what
// was held goes on.
func (p *Proxy) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
		p.open = make(chan struct{})
	default:
	}
}

// Release ends a Hold. Idempotent.
func (p *Proxy) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// Close ends the proxy and its connections, for good.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Admit(false)
	p.Release()
	p.Cut()
	p.serving.Wait()
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.keep(client, server) {
		return
	}
	defer p.forget(client, server)
	var mute atomic.Bool // the client is to hear nothing more
	var back sync.WaitGroup
	back.Go(func() {
		defer client.Close()
		p.answer(client, server, &mute)
	})
	p.forward(client, server, &mute)
	client.Close()
	server.Close()
	back.Wait()
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.conns[c] = true
	}
	return !p.down
}

func (p *Proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

// wait waits for the end of a hold.
func (p *Proxy) wait() {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	<-open
}

// answer hands on what the server says, while the client is to hear it.
func (p *Proxy) answer(client io.Writer, server io.Reader, mute *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || mute.Load() {
			return
		}
		p.wait()
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// forward hands on what the client says, until a fault.
func (p *Proxy) forward(client io.Reader, server io.Writer, mute *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil || isCancel(buffer[:n]) {
			return
		}
		fault := Pass
		if isCommit(buffer[:n]) {
			fault = p.meet()
		}
		if fault == DropBefore {
			return
		}
		mute.Store(fault != Pass)
		p.wait()
		if _, err := server.Write(buffer[:n]); err != nil || fault == DropAtOnce {
			return
		}
	}
}

func (p *Proxy) meet() Fault {
	p.mu.Lock()
	ask := p.onCommit
	p.mu.Unlock()
	if ask == nil {
		return Pass
	}
	return ask()
}

// isCommit finds the simple query by which a transaction is committed.
func isCommit(message []byte) bool {
	return bytes.HasPrefix(message, []byte("Q")) && bytes.HasSuffix(bytes.ToLower(message), []byte("commit\x00"))
}

// isCancel finds a plea to cancel what another connection does. A network that broke
// lets none through, and the server would then give up a wait for its standbys.
func isCancel(message []byte) bool {
	const request = 80877102
	return len(message) == 16 && binary.BigEndian.Uint32(message[4:]) == request
}
