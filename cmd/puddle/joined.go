package main

import (
	"bytes"
	"net"
	"strconv"
	"sync"
)

// writeBuffer is what net/http gathers of an answer before it writes. An answer that
// is longer comes in two writes at least, the second of them mostly small.
const writeBuffer = 4 << 10

// joining is a listener whose connections send the beginning of an answer together
// with what follows: one call and one packet less, and the client wakes once.
type joining struct {
	net.Listener
	idle sync.Pool // of *[writeBuffer]byte
}

// Accept implements net.Listener.
func (j *joining) Accept() (net.Conn, error) {
	conn, err := j.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &joined{Conn: conn, idle: &j.idle}, nil
}

// joined is a connection that net/http writes answers to, one goroutine at a time.
// It hides what else the connection can do but to close one way, so that all bytes
// come through Write.
type joined struct {
	net.Conn
	idle *sync.Pool
	held *[writeBuffer]byte // the beginning of an answer; nil: none is held back
}

// Write holds the first part of an answer back when more of it is sure to come, and
// sends it with the next. What is held when the connection is closed belongs to an
// answer that was cut off.
func (c *joined) Write(p []byte) (int, error) {
	if c.held == nil {
		if !begins(p) {
			return c.Conn.Write(p)
		}
		c.held, _ = c.idle.Get().(*[writeBuffer]byte)
		if c.held == nil {
			c.held = new([writeBuffer]byte)
		}
		return copy(c.held[:], p), nil
	}
	n, err := (&net.Buffers{c.held[:], p}).WriteTo(c.Conn)
	c.idle.Put(c.held)
	c.held = nil
	return max(0, int(n)-writeBuffer), err
}

// CloseWrite ends what is sent, as net/http does before it closes.
func (c *joined) CloseWrite() error {
	if one, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return one.CloseWrite()
	}
	return nil
}

// begins tells whether a write is a full buffer that begins an answer of HTTP/1, with
// some of its body but not all.
func begins(p []byte) bool {
	if len(p) != writeBuffer || !bytes.HasPrefix(p, []byte("HTTP/1.")) {
		return false
	}
	head, body, whole := bytes.Cut(p, []byte("\r\n\r\n"))
	_, after, given := bytes.Cut(head, []byte("\r\nContent-Length: "))
	if !whole || !given || len(body) == 0 {
		return false
	}
	digits, _, _ := bytes.Cut(after, []byte("\r\n"))
	length, err := strconv.ParseInt(string(digits), 10, 64)
	return err == nil && length > int64(len(body))
}
