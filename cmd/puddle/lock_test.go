package main

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A lock of whose holder nothing is known is waited for, for a moment: it may be given back.
func TestLockIsGivenBack(t *testing.T) {
	for name, take := range map[string]func(dir string) (release func() error, err error){
		"acquire": func(dir string) (func() error, error) {
			l, err := acquire(dir)
			if err != nil {
				return nil, err
			}
			return l.release, nil
		},
		"share": share,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				other, err := os.Create(lockFile(dir))
				if err == nil {
					err = syscall.Flock(int(other.Fd()), syscall.LOCK_EX)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				began := time.Now()
				var busy *held
				if _, err := take(dir); !errors.As(err, &busy) || time.Since(began) < lockTime {
					t.Errorf("got %v after %s", err, time.Since(began))
				}
				time.AfterFunc(lockTime/2, func() { other.Close() })
				release, err := take(dir)
				if err != nil {
					t.Fatalf("it was given back: %v", err)
				}
				if err := release(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
