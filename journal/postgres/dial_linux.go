package postgres

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitSilence sets how long what was sent may be without an answer of the other system.
func limitSilence(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(SilenceLimit.Milliseconds()))
	})
	return errors.Join(err, failed)
}
