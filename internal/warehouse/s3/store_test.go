package s3_test

import (
	"context"
	"flag"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
	"puddle/internal/warehouse/warehousetest"
)

func TestMain(m *testing.M) {
	checks := "3" // of four stores, each call of which is some requests
	if os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
		checks = "20"
	}
	if err := flag.Set("rapid.checks", checks); err != nil { // before flags are parsed
		panic(err)
	}
	os.Exit(s3test.Main(m))
}

// quick gives up late and waits little.
var quick = s3.Limits{Tries: 12, Pause: time.Microsecond}

// lake is an object store that a test may fill.
type lake struct {
	endpoint, id, secret string
	bucket               func(testing.TB) string
}

func inProcess(t testing.TB) lake {
	server := s3test.Start(t)
	return lake{server.Endpoint, server.AccessKeyID, server.SecretAccessKey, server.Bucket}
}

func versity(t testing.TB) lake {
	p := s3test.Versity(t)
	return lake{p.Endpoint, p.AccessKeyID, p.SecretAccessKey, p.Bucket}
}

// faulty puts faults before the lake.
func (l lake) faulty(t testing.TB, hook s3test.Hook) (lake, *s3test.Faults) {
	t.Helper()
	var f *s3test.Faults
	f, l.endpoint = s3test.Faulty(t, l.endpoint, hook)
	return l, f
}

// store is one in a bucket of its own, below a prefix, which is empty or begins with a slash.
func (l lake) store(t testing.TB, limits s3.Limits, prefix string) *s3.Store {
	t.Helper()
	return l.at(t, limits, "s3://"+l.bucket(t)+prefix)
}

func (l lake) at(t testing.TB, limits s3.Limits, location string) *s3.Store {
	t.Helper()
	at, err := warehouse.ParseLocation(location)
	if err != nil {
		t.Fatal(err)
	}
	return l.service(t, limits).Store(at)
}

func (l lake) service(t testing.TB, limits s3.Limits) *s3.Service {
	t.Helper()
	service, err := s3.New(t.Context(), s3.Options{
		Region: s3test.Region, Endpoint: l.endpoint, PathStyle: true, AccessKeyID: l.id, SecretAccessKey: l.secret, Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// tidy leaves out what versitygw shows of files that it has not finished.
type tidy struct{ *s3.Store }

// List implements [warehouse.Reader].
func (s tidy) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		for entry, err := range s.Store.List(ctx, prefix) {
			if !strings.Contains(entry.Key, ".sgwtmp.") && !yield(entry, err) {
				return
			}
		}
	}
}

// The store of the in-process fake, of a real server, and of both behind faults that pass.
func TestStore(t *testing.T) {
	for name, start := range map[string]func(testing.TB) lake{"in process": inProcess, "versitygw": versity} {
		t.Run(name, func(t *testing.T) {
			l := start(t)
			warehousetest.Run(t, func(t *testing.T) warehouse.Store { return tidy{l.store(t, quick, "")} })
		})
		if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" && name == "versitygw" {
			continue // the others of it are enough where not everything is required
		}
		t.Run(name+", faults", func(t *testing.T) {
			l, _ := start(t).faulty(t, s3test.Seeded(1, 0.1, s3test.Passing...))
			warehousetest.Run(t, func(t *testing.T) warehouse.Store { return tidy{l.store(t, quick, "")} })
		})
	}
}
