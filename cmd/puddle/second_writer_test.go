package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/rest"
)

// seconds are lines of a log that tell of a second writer.
func seconds() (zerolog.Logger, chan line) {
	told := about{"a second writer is in the warehouse", make(chan line, 100)}
	return zerolog.New(told), told.lines
}

// refusesBeside checks what a server says that has met a second writer, and asks it to
// change something.
func (r *running) refusesBeside(file string) {
	r.t.Helper()
	if status, retry, kind := r.commit("late"); status != http.StatusTooManyRequests || retry == "" {
		r.t.Errorf("a commit beside another catalog: %d %s, Retry-After %q", status, kind, retry)
	}
	if status := r.ready(); status != http.StatusServiceUnavailable {
		r.t.Errorf("ready is %d", status)
	}
	if out := report(r.t, file, codeFindings, "status"); !strings.Contains(out, "critical: ") || !strings.Contains(out, "another catalog writes to it") {
		r.t.Errorf("status: %s", out)
	}
	if out := report(r.t, file, int(pluginCritical), "status", "--nagios"); !strings.HasPrefix(out, "CRITICAL") || !strings.Contains(out, "another catalog writes to it") {
		r.t.Errorf("nagios: %s", out)
	}
	if status := r.get(oneTable); status != http.StatusOK {
		r.t.Errorf("a load beside another catalog: %d", status)
	}
}

// namings are the files by which a catalog says that a warehouse is its own.
func namings(t *testing.T, c config.Config) (all string) {
	t.Helper()
	roots, closers, err := openPlaces(t.Context(), c.Warehouses[0], (*rest.Metrics)(nil).Store("default"))
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range closers {
		defer release()
	}
	for _, key := range []string{anchor.HeadKey, "_puddle/journal/HEAD", "_puddle/catalog/cursor.json"} {
		data, err := roots[0].Store.Get(t.Context(), key, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all += string(data)
	}
	return all
}

// besideAnother has a catalog come to the warehouse of servers that run, and be served.
// Each of them refuses changes from when it has looked: the first as soon as it writes, the
// others when they look, as a purge does before it begins. The newcomer goes on.
func besideAnother(t *testing.T, second config.Config, file string, told chan line, servers map[string]*running, first string) {
	t.Helper()
	report(t, file, codeDone, "recover")
	b := started(t, second)
	if status, _, kind := b.commit("b"); status != http.StatusOK {
		t.Fatalf("on the second: %d %s", status, kind)
	}
	servers[first].commit("a") // it may have looked before
	if l := <-told; l.Level != "error" {
		t.Errorf("told %+v", l)
	}
	for own, r := range servers {
		if own != first {
			if err := r.node.purgeFence(r.node.warehouses[0])(t.Context()); !errors.Is(err, anchor.ErrOtherHistory) {
				t.Errorf("a purge begins: %v", err)
			}
			<-told
		}
		r.refusesBeside(own)
	}
	b.stopped()
	before := namings(t, second)
	for _, r := range servers {
		r.stopped()
	}
	if after := namings(t, second); after != before {
		t.Errorf("written beside another catalog: %s\nbefore: %s", after, before)
	}
	if len(told) != 0 {
		t.Errorf("told again: %+v", <-told)
	}
	b = started(t, second)
	if got, status := b.property(), b.ready(); got != "b" || status != http.StatusOK {
		t.Errorf("the second has %q, ready is %d", got, status)
	}
	b.stopped()
}

// A server notices that its warehouse was recovered to another data folder and is served
// from there.
func TestASecondCatalog(t *testing.T) {
	dir := t.TempDir()
	log, told := seconds()
	servedTable(t, dir, io.Discard).stopped()
	c := configured(t, dir, "")
	a := startedWith(t, c, log)
	file := filepath.Join(dir, "b", "puddle.yaml")
	text := "data-dir: " + dir + "/b/d\nwarehouses: {default: {location: " + dir + "/w}}\n"
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	second, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	second.Server.Addr = "127.0.0.1:0"
	own := filepath.Join(dir, "puddle.yaml")
	besideAnother(t, second, file, told, map[string]*running{own: a}, own)
	_, err = startServer(t.Context(), c, zerolog.Nop())
	if exitCode(err) != codeRefused {
		t.Errorf("the first starts again: exit code %d, %v", exitCode(err), err)
	}
}

// So do replicas, that which follows the journal and those which do not, when it was
// recovered to another database.
func TestASecondCatalogOfReplicas(t *testing.T) {
	server, dir := postgrestest.Shared(t), t.TempDir()
	url, elsewhere := server.Open(t), server.Open(t)
	withTable(t, dir, url).stopped()
	log, told := seconds()
	one := startedWith(t, replica(t, dir, url, 1, ""), log)
	two := startedWith(t, replica(t, dir, url, 2, ""), log)
	follows, idles := filepath.Join(dir, "puddle1.yaml"), filepath.Join(dir, "puddle2.yaml")
	besideAnother(t, replica(t, dir, elsewhere, 3, ""), filepath.Join(dir, "puddle3.yaml"), told,
		map[string]*running{follows: one, idles: two}, follows)
}

// A recovery that goes on in the same journal is no second writer, also where a server
// looks that was there before it.
func TestARecoveryIsNoSecondCatalog(t *testing.T) {
	dir, url := t.TempDir(), postgrestest.Shared(t).Open(t)
	withTable(t, dir, url).stopped()
	c := replica(t, dir, url, 1, "")
	stays, err := newNode(c, zerolog.Nop(), reporting, journal.NewClock()).open(t.Context(), func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer stays.Close()
	report(t, filepath.Join(dir, "puddle1.yaml"), codeDone, "recover", "--at", "seq:2")
	again := started(t, replica(t, dir, url, 2, ""))
	again.make("", `{"namespace":["later"]}`)
	for name, n := range map[string]*node{"one that was there before": stays, "the new one": again.node} {
		if err := n.look(t.Context(), n.warehouses[0]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	again.stopped()
}

// A server that nobody asks for anything notices by itself.
func TestAnIdleServerLooks(t *testing.T) {
	log, told := seconds()
	s, err := newServer(configured(t, t.TempDir(), ""), log)
	if err != nil {
		t.Fatal(err)
	}
	s.node.looks = time.Millisecond
	if err := s.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := s.node.warehouses[0]
	for w.term.Load().anchor.State().Written.IsZero() {
	}
	own := w.roots[0].Store
	head := anchor.Head{Position: journal.Position{Incarnation: uuid.New(), Seq: 1 << 20, Hash: journal.Digest{1}}, At: time.Now(), WrittenAt: time.Now()}
	if err := anchor.Raise(t.Context(), own, head); err != nil {
		t.Fatal(err)
	}
	<-told
	r := &running{server: s, t: t}
	if status, body := r.read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "read only until restart: another catalog writes to a warehouse") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if there, _, err := anchor.ReadHead(t.Context(), own); err != nil || there.Incarnation != head.Incarnation {
		t.Errorf("the head is %s, %v", there, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// Who looks again and again does so until it is stopped.
func TestEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		done, looks := make(chan struct{}), 0
		go func() {
			defer close(done)
			every(ctx, lookEvery, func() { looks++ })
		}()
		time.Sleep(3*lookEvery + time.Nanosecond)
		stop()
		<-done
		if looks != 3 {
			t.Errorf("looked %d times", looks)
		}
	})
}
