package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// holder says who has a data folder open.
type holder struct {
	pid     int
	socket  string // where it answers; empty when it does not serve (yet)
	address string // where it listens
}

// held is the error of a data folder that another process has open.
type held struct {
	dir string
	by  holder
}

func (h *held) Error() string {
	return fmt.Sprintf("%s is in use by process %d", h.dir, h.by.pid)
}

// lock keeps other processes out of a data folder. It ends with the process,
// whatever way that ends; the file stays. Nil keeps nobody out.
type lock struct{ file *os.File }

func lockFile(dir string) string { return filepath.Join(dir, "lock") }

// acquire locks a data folder that is there, or answers *held.
func acquire(dir string) (*lock, error) {
	file, err := os.OpenFile(lockFile(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(file, dir, syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l := &lock{file}
	if err := l.publish(holder{pid: os.Getpid()}); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// share keeps whoever changes a data folder out of it, and leaves no trace: where nobody
// has ever locked it there is nothing to be kept out of. *held: it is being changed.
func share(dir string) (release func() error, err error) {
	file, err := os.Open(lockFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	if err := flock(file, dir, syscall.LOCK_SH); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}

// flock takes a lock of the file of a folder, or answers *held. A holder that says nothing
// of itself has just begun, or has given the lock back, which a process that it was starting
// at that time holds for a moment longer: it is waited for, up to lockTime.
func flock(file *os.File, dir string, how int) error {
	for until := time.Now().Add(lockTime); ; time.Sleep(lockTime / 100) {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock %s: %w", dir, err)
		}
		by, err := readHolder(dir)
		if err != nil {
			return err
		}
		if by.pid != 0 || time.Now().After(until) {
			return &held{dir, by}
		}
	}
}

// publish writes who holds the lock, for others to read.
func (l *lock) publish(h holder) error {
	text := fmt.Sprintf("pid %d\n", h.pid)
	if h.socket != "" {
		text += fmt.Sprintf("socket %s\naddress %s\n", h.socket, h.address)
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// release lets others in.
func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

// readHolder reads what the holder of a lock published; zero when it has not yet.
func readHolder(dir string) (holder, error) {
	file, err := os.Open(lockFile(dir))
	if err != nil {
		return holder{}, err
	}
	defer file.Close()
	var h holder
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), " ")
		switch key {
		case "pid":
			h.pid, _ = strconv.Atoi(value)
		case "socket":
			h.socket = value
		case "address":
			h.address = value
		}
	}
	return h, lines.Err()
}
