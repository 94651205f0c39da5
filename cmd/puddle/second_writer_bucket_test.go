package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/s3test"
	"puddle/projections/anchor"
	"puddle/recover"
)

// A catalog with a journal of its own does not begin in a bucket where there is one, however
// the bucket is spelled; the first one goes on, also spelled otherwise.
func TestASecondCatalogDoesNotBeginInABucket(t *testing.T) {
	server, dir := s3test.Start(t), t.TempDir()
	bucket := server.Bucket(t)
	at := func(name, scheme string) *refusedStart {
		c, _ := overStore(t, dir, name, scheme+"://"+bucket+"/wh", server.Endpoint, server.SecretAccessKey, "")
		s, err := startServer(t.Context(), c, zerolog.Nop())
		return &refusedStart{s, err}
	}
	first := at("a", "s3")
	if first.err != nil {
		t.Fatal(first.err)
	}
	for _, scheme := range []string{"s3", "s3a", "S3N"} {
		if err := at("b", scheme).err; exitCode(err) != codeRefused || !strings.Contains(err.Error(), "its journal is lost") ||
			!strings.Contains(err.Error(), "another server may still run on this warehouse") {
			t.Errorf("%s: exit code %d, %v", scheme, exitCode(err), err)
		}
	}
	if err := first.close(); err != nil {
		t.Error(err)
	}
	again := at("a", "s3a")
	if again.err != nil {
		t.Fatal(again.err)
	}
	if err := again.close(); err != nil {
		t.Error(err)
	}
}

// refusedStart is a start, and why it was refused.
type refusedStart struct {
	*server
	err error
}

// Of two that begin at the same moment one is refused, since the identity is only created
// where it is absent.
func TestTwoCatalogsBeginAtTheSameMoment(t *testing.T) {
	server, dir := s3test.Start(t), t.TempDir()
	bucket := server.Bucket(t)
	arrived, both := make(chan struct{}, 2), make(chan struct{})
	_, endpoint := s3test.Faulty(t, server.Endpoint, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, anchor.IdentityKey) {
			arrived <- struct{}{}
			<-both
		}
		return s3test.None
	})
	starts := make(chan refusedStart)
	for _, name := range []string{"a", "b"} {
		c, _ := overStore(t, dir, name, "s3://"+bucket+"/wh", endpoint, server.SecretAccessKey, "")
		go func() {
			s, err := startServer(t.Context(), c, zerolog.Nop())
			starts <- refusedStart{s, err}
		}()
	}
	<-arrived
	<-arrived
	close(both)
	begun := 0
	for range 2 {
		one := <-starts
		var refused *recover.Refusal
		switch {
		case one.err == nil:
			begun++
			if err := one.close(); err != nil {
				t.Error(err)
			}
		case !errors.As(one.err, &refused), !strings.Contains(one.err.Error(), "another catalog took"):
			t.Errorf("exit code %d, %v", exitCode(one.err), one.err)
		}
	}
	if begun != 1 {
		t.Errorf("%d catalogs have begun", begun)
	}
}

// A server notices that its bucket was recovered to another data folder and is served from
// there.
func TestASecondCatalogInABucket(t *testing.T) {
	server, dir := s3test.Start(t), t.TempDir()
	bucket := server.Bucket(t)
	log, told := seconds()
	c, own := overBucket(t, dir, server, bucket)
	before := started(t, c)
	before.make("", `{"namespace":["a"]}`)
	before.make("/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	before.stopped() // all is in the bucket
	a := startedWith(t, c, log)
	second, file := overStore(t, dir, "b", "s3a://"+bucket+"/wh/", server.Endpoint, server.SecretAccessKey, "")
	besideAnother(t, second, file, told, map[string]*running{own: a}, own)
	_, err := startServer(t.Context(), c, zerolog.Nop())
	if exitCode(err) != codeRefused {
		t.Errorf("the first starts again: exit code %d, %v", exitCode(err), err)
	}
}
