package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/internal/s3test"
	store "puddle/internal/warehouse"
	"puddle/projections/anchor"
	"puddle/rest"
)

// overStore is a configuration over a location in an object store, in the file name.yaml of a
// folder, with a data folder of that name.
func overStore(t *testing.T, dir, name, location, endpoint, secret, more string) (config.Config, string) {
	t.Helper()
	file := filepath.Join(dir, name+".yaml")
	text := fmt.Sprintf("data-dir: %s/%s\nwarehouses: {default: {location: %q, s3: {region: %s, endpoint: %q, path-style-access: true, access-key-id: puddle, secret-access-key: %q}}}\n%s",
		dir, name, location, s3test.Region, endpoint, secret, more)
	return loadConfig(t, file, text), file
}

func overBucket(t *testing.T, dir string, server *s3test.Server, bucket string) (config.Config, string) {
	t.Helper()
	return overStore(t, dir, "d", "s3://"+bucket+"/wh", server.Endpoint, server.SecretAccessKey, "")
}

// objects are those below the location of a configuration.
func objects(t *testing.T, c config.Config, below string) map[string]store.Info {
	t.Helper()
	roots, _, err := openPlaces(t.Context(), c.Warehouses[0], (*rest.Metrics)(nil).Store("default"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]store.Info{}
	for entry, err := range roots[0].Store.List(t.Context(), below) {
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Key] = entry.Info
	}
	return all
}

// What a start has found out is told, and nothing of it stays.
func TestStatusTellsOfTheStore(t *testing.T) {
	server, dir := s3test.Start(t), t.TempDir()
	c, file := overBucket(t, dir, server, server.Bucket(t))
	r := started(t, c)
	var page statusPage
	if err := json.Unmarshal([]byte(report(t, file, codeDone, "status", "--json")), &page); err != nil {
		t.Fatal(err)
	}
	if is := page.Warehouses[0].Storage; is == nil || is.Kind != "s3" || is.Conditional != "hold" || is.Probed == "" || is.Ahead == nil || *is.Ahead != 0 {
		t.Errorf("storage: %+v", is)
	}
	if out := report(t, file, codeDone, "status"); !strings.Contains(out, "storage default: s3, conditional writes hold, probed at 20") {
		t.Errorf("status: %s", out)
	}
	if left := objects(t, c, store.ProbeFolder); len(left) > 0 {
		t.Errorf("the probe left %v", left)
	}
	r.stopped()
	if out := report(t, file, codeDone, "status"); !strings.Contains(out, "storage default: s3\n") {
		t.Errorf("without a server: %s", out)
	}
}

// Over a store that ignores conditions nothing begins, and what has begun elsewhere is read
// only: nothing is written there, but by the probe.
func TestAStoreThatIgnoresConditions(t *testing.T) {
	holds, dir := s3test.Start(t), t.TempDir()
	ignores := s3test.Start(t, s3test.InFrontOf(holds.Endpoint, holds.AccessKeyID, holds.SecretAccessKey), s3test.IgnoringConditions())
	bucket := holds.Bucket(t)
	good, file := overBucket(t, dir, holds, bucket)
	bad, _ := overBucket(t, dir, ignores, bucket)
	_, err := startServer(t.Context(), bad, zerolog.Nop())
	if exitCode(err) != codeRefused || !strings.Contains(err.Error(), "ignores If-None-Match") || !strings.Contains(next(err), "puddle config check --probe") {
		t.Errorf("a first start: exit code %d, %v", exitCode(err), err)
	}
	if there := objects(t, bad, ""); len(there) > 0 || !absent(bad.Journal.Path) {
		t.Errorf("a refused start made %v", there)
	}
	r := started(t, good)
	r.make("", `{"namespace":["a"]}`)
	r.make("/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	r.stopped()
	before := objects(t, bad, "")

	overStore(t, dir, "d", bad.Warehouses[0].Root.URL, ignores.Endpoint, ignores.SecretAccessKey, "")
	r = started(t, bad)
	if status, retry, kind := r.commit("late"); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("a commit: %d %s, Retry-After %q", status, kind, retry)
	}
	if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["b"]}`); status != http.StatusServiceUnavailable {
		t.Errorf("a namespace: %d", status)
	}
	if load, ready := r.get(oneTable), r.ready(); load != http.StatusOK || ready != http.StatusServiceUnavailable {
		t.Errorf("a load: %d, ready: %d", load, ready)
	}
	out := report(t, file, codeFindings, "status")
	for _, said := range []string{"s3, conditional writes are ignored", "critical: not ready: ", "ignores If-None-Match"} {
		if !strings.Contains(out, said) {
			t.Errorf("status does not say %q: %s", said, out)
		}
	}
	r.stopped()
	if diff := cmp.Diff(before, objects(t, bad, "")); diff != "" {
		t.Errorf("written by a catalog that is read only: %s", diff)
	}
	r = started(t, good)
	if status, _, kind := r.commit("again"); status != http.StatusOK {
		t.Errorf("a commit at a store that holds: %d %s", status, kind)
	}
	r.stopped()
}

// A catalog that keeps nothing needs no conditions.
func TestMemoryOverAStoreThatIgnoresConditions(t *testing.T) {
	server, dir := s3test.Start(t, s3test.IgnoringConditions()), t.TempDir()
	c, _ := overStore(t, dir, "d", "s3://"+server.Bucket(t), server.Endpoint, server.SecretAccessKey, "metastore: {type: memory}\n")
	r := started(t, c)
	r.make("", `{"namespace":["a"]}`)
	r.stopped()
}

// Denied deletes are told and lived with. What the probe leaves is no trace of a catalog.
func TestDeletesAreDenied(t *testing.T) {
	server, dir := s3test.Start(t, s3test.Denying("s3:DeleteObject")), t.TempDir()
	c, file := overBucket(t, dir, server, server.Bucket(t))
	out := report(t, file, codeWarnings, "config", "check", "--probe")
	if !strings.Contains(out, "warning: default at "+c.Warehouses[0].Root.URL+": the storage refuses to delete") || !strings.Contains(out, "left behind by the probe") {
		t.Errorf("config check: %s", out)
	}
	left := slices.Collect(maps.Keys(objects(t, c, "")))
	if len(left) == 0 {
		t.Error("nothing is left although nothing can be deleted")
	}
	for range 2 {
		r := started(t, c)
		r.make("", fmt.Sprintf(`{"namespace":["a%d"]}`, len(objects(t, c, ""))))
		if status := r.ready(); status != http.StatusOK {
			t.Errorf("ready is %d", status)
		}
		if out := report(t, file, codeWarnings, "status"); !strings.Contains(out, "warning: default: the object store of ") || !strings.Contains(out, "refuses to delete") {
			t.Errorf("status: %s", out)
		}
		r.stopped()
	}
	if err := os.RemoveAll(c.DataDir); err != nil {
		t.Fatal(err)
	}
	report(t, file, codeDone, "recover")
}

// A recovery does not take what a probe left for a catalog.
func TestLeftByAProbeIsNoTrace(t *testing.T) {
	server, dir := s3test.Start(t, s3test.Denying("s3:DeleteObject")), t.TempDir()
	_, file := overBucket(t, dir, server, server.Bucket(t))
	report(t, file, codeWarnings, "config", "check", "--probe")
	report(t, file, codeRefused, "recover")
}

// What keeps a bucket from being used is said with the store's own word, and what to do.
func TestBucketsThatCannotBeUsed(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	for name, test := range map[string]struct {
		location, secret, deny string
		want                   []string
	}{
		"missing":      {"s3://nowhere/wh", server.SecretAccessKey, "", []string{"NoSuchBucket", "the bucket nowhere cannot be used", "make the bucket"}},
		"wrong secret": {"s3://" + bucket, "s3cret", "", []string{"SignatureDoesNotMatch", "are access-key-id and secret-access-key right"}},
		"no right":     {"s3://" + bucket + "/wh", server.SecretAccessKey, "s3:PutObject", []string{"write: ", "AccessDenied", "do they have the rights"}},
		"no lists":     {"s3://" + bucket + "/wh", server.SecretAccessKey, "s3:ListBucket", []string{"list: ", "AccessDenied", "do they have the rights"}},
	} {
		t.Run(name, func(t *testing.T) {
			if server.Deny(); test.deny != "" {
				server.Deny(test.deny)
			}
			dir := t.TempDir()
			c, file := overStore(t, dir, "d", test.location, server.Endpoint, test.secret, "")
			_, err := startServer(t.Context(), c, zerolog.Nop())
			if exitCode(err) != codeNoLook {
				t.Fatalf("exit code %d, %v", exitCode(err), err)
			}
			out := report(t, file, codeNoLook, "config", "check", "--probe")
			for _, want := range append(test.want, "default", test.location) {
				if !strings.Contains(err.Error(), want) || !strings.Contains(out, want) {
					t.Errorf("%q is not said: %v\n%s", want, err, out)
				}
			}
			if strings.Contains(err.Error()+out, test.secret) {
				t.Errorf("the secret is told: %v\n%s", err, out)
			}
		})
	}
}

// So it is to a report, which asks without a probe.
func TestReportsOverABucketThatRefuses(t *testing.T) {
	server := s3test.Start(t)
	c, _ := overBucket(t, t.TempDir(), server, server.Bucket(t))
	started(t, c).stopped()
	server.Deny("s3:GetObject")
	_, err := (&session{stderr: io.Discard, stop: t.Context()}).connect(c, reporting)
	if exitCode(err) != codeNoLook || !strings.Contains(err.Error(), "AccessDenied") || !strings.Contains(err.Error(), "do they have the rights") {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}

// A store that is away for a moment is waited for, from the beginning on and when it goes
// away while warehouses are bound, and who asks is told.
func TestAStoreThatIsAwayForAMoment(t *testing.T) {
	for waiting, key := range map[string]string{
		"waiting for the object store of warehouse default": "", "waiting for an object store": anchor.IdentityKey,
	} {
		t.Run(waiting, func(t *testing.T) {
			t.Parallel()
			server, dir := s3test.Start(t), t.TempDir()
			back, waits := make(chan struct{}), about{waiting, make(chan line, 10)}
			_, endpoint := s3test.Faulty(t, server.Endpoint, func(r *http.Request) s3test.Fault {
				select {
				case <-back:
					return s3test.None
				default:
				}
				if strings.HasSuffix(r.URL.Path, key) {
					return s3test.Unavailable
				}
				return s3test.None
			})
			c, _ := overStore(t, dir, "d", "s3://"+server.Bucket(t)+"/wh", endpoint, server.SecretAccessKey, "")
			s, err := newServer(c, zerolog.New(waits))
			if err != nil {
				t.Fatal(err)
			}
			opened := make(chan error)
			go func() { opened <- s.open(t.Context()) }()
			if l := <-waits.lines; l.Level != "warn" {
				t.Errorf("it says %+v", l)
			}
			if status, body := (&running{server: s, t: t}).read("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "starting: "+waiting) {
				t.Errorf("readyz: %d %s", status, body)
			}
			close(back)
			if err := <-opened; err != nil {
				t.Fatal(err)
			}
			if err := s.close(); err != nil {
				t.Error(err)
			}
		})
	}
}
