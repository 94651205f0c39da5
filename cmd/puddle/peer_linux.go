package main

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUser asks the system who is at the other end of a connection.
func peerUser(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Ucred
	var asked error
	err = raw.Control(func(fd uintptr) {
		credentials, asked = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil {
		return 0, err
	}
	if asked != nil {
		return 0, asked
	}
	return int(credentials.Uid), nil
}
