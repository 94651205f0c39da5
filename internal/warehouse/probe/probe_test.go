package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/internal/warehouse/probe"
	"puddle/internal/warehouse/s3"
)

func inFolder(t *testing.T) warehouse.Store {
	store, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func inBucket(t *testing.T, options ...s3test.Option) warehouse.Store {
	server := s3test.Start(t, options...)
	return at(t, server.Endpoint, server.AccessKeyID, server.SecretAccessKey, server.Bucket(t))
}

func at(t *testing.T, endpoint, id, secret, bucket string) warehouse.Store {
	service, err := s3.New(t.Context(), s3.Options{Region: s3test.Region, Endpoint: endpoint, PathStyle: true, AccessKeyID: id, SecretAccessKey: secret})
	if err != nil {
		t.Fatal(err)
	}
	at, err := warehouse.ParseLocation("s3://" + bucket + "/wh")
	if err != nil {
		t.Fatal(err)
	}
	return service.Store(at)
}

// left are the keys in a store.
func left(t *testing.T, store warehouse.Reader) (keys []string) {
	t.Helper()
	for entry, err := range store.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, entry.Key)
	}
	return keys
}

// verdicts are those that are not that it holds.
func verdicts(r probe.Report) map[string]probe.Verdict {
	all := map[string]probe.Verdict{}
	for _, s := range r.Steps {
		if s.Verdict != probe.Holds {
			all[s.Name] = s.Verdict
		}
	}
	return all
}

// What puddle has for stores does what it must, and nothing of the probe stays.
func TestEveryStoreHolds(t *testing.T) {
	for name, test := range map[string]struct {
		store warehouse.Store
		none  map[string]probe.Verdict
	}{
		"memory": {memory.New(), map[string]probe.Verdict{probe.BatchDelete: probe.None, probe.Clock: probe.None}},
		"dir":    {inFolder(t), map[string]probe.Verdict{probe.BatchDelete: probe.None}},
		"s3":     {inBucket(t), map[string]probe.Verdict{}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.store.Create(t.Context(), "own", []byte("1")); err != nil {
				t.Fatal(err)
			}
			r := probe.Run(t.Context(), test.store)
			if conditional, err := r.Conditional(); conditional != probe.Holds || err != nil || r.Unseen() != nil || len(r.Findings())+len(r.Warnings()) > 0 {
				t.Errorf("%s", r)
			}
			got := verdicts(r)
			if _, ok := test.store.(warehouse.Batches); !ok {
				test.none[probe.BatchDelete] = probe.None
			}
			if diff := cmp.Diff(test.none, got); diff != "" || len(r.Steps) != 14 {
				t.Errorf("%s\n%s", diff, r)
			}
			if diff := cmp.Diff([]string{"own"}, left(t, test.store)); diff != "" {
				t.Errorf("left: %s", diff)
			}
		})
	}
}

// overwriting is a store that ignores conditions.
type overwriting struct{ warehouse.Store }

func (o overwriting) Create(ctx context.Context, key string, data []byte) error {
	return o.Put(ctx, key, data)
}

func TestConditionsThatAreIgnored(t *testing.T) {
	for name, store := range map[string]warehouse.Store{"memory": overwriting{memory.New()}, "s3": inBucket(t, s3test.IgnoringConditions())} {
		r := probe.Run(t.Context(), store)
		conditional, err := r.Conditional()
		if conditional != probe.Broken || err == nil || !strings.Contains(err.Error(), "ignores If-None-Match") {
			t.Errorf("%s: %s, %v", name, conditional, err)
		}
		if found := strings.Join(r.Findings(), "; "); !strings.Contains(found, "create-if-absent: ") || !strings.Contains(found, "race: ") || len(left(t, store)) > 0 {
			t.Errorf("%s: %s\n%s", name, found, r)
		}
	}
}

// A server that is real keeps conditions, or does not where it cannot keep what it needs
// for them: the probe tells the two apart.
func TestVersity(t *testing.T) {
	keeps := s3test.Versity(t)
	r := probe.Run(t.Context(), at(t, keeps.Endpoint, keeps.AccessKeyID, keeps.SecretAccessKey, keeps.Bucket(t)))
	if conditional, err := r.Conditional(); conditional != probe.Holds || err != nil || len(r.Findings())+len(r.Warnings()) > 0 {
		t.Errorf("with what it needs: %s", r)
	}
	ignores, err := s3test.StartProcess(t.Context(), "--nometa")
	if err != nil {
		t.Fatal(err)
	}
	defer ignores.Stop()
	r = probe.Run(t.Context(), at(t, ignores.Endpoint, ignores.AccessKeyID, ignores.SecretAccessKey, ignores.Bucket(t)))
	if conditional, err := r.Conditional(); conditional != probe.Broken || !strings.Contains(err.Error(), "ignores If-None-Match") {
		t.Errorf("without: %s", r)
	}
}

func TestMain(m *testing.M) { os.Exit(s3test.Main(m)) }

// Denied deletes are told and lived with, also what stays because of them.
func TestDeniedDeletes(t *testing.T) {
	inner := memory.New()
	r := probe.Run(t.Context(), faulty.New(inner, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Delete {
			return faulty.Before(warehouse.ErrDenied)
		}
		return faulty.Fault{}
	}))
	warnings := r.Warnings()
	if conditional, _ := r.Conditional(); conditional != probe.Holds || len(r.Findings()) > 0 || r.Unseen() != nil || len(warnings) != 2 {
		t.Fatalf("%s\n%q", r, warnings)
	}
	if !strings.Contains(warnings[0], "refuses to delete") || r.Of(probe.Delete).Verdict != probe.Denied {
		t.Errorf("%q", warnings)
	}
	if diff := cmp.Diff(left(t, inner), r.Left); diff != "" || len(r.Left) != 12 {
		t.Errorf("left: %s", diff)
	}
	if !strings.HasPrefix(r.Left[0], warehouse.ProbeFolder+"/") {
		t.Errorf("it wrote %s", r.Left[0])
	}
}

// A store that cannot be written is asked for nothing else: what is said is why.
func TestCannotBeWritten(t *testing.T) {
	for _, why := range []error{warehouse.ErrNoBucket, warehouse.ErrDenied, errors.New("503 SlowDown")} {
		r := probe.Run(t.Context(), faulty.New(memory.New(), func(faulty.Op, string) faulty.Fault { return faulty.Before(why) }))
		conditional, err := r.Conditional()
		if conditional != probe.Unseen || !errors.Is(err, why) || len(r.Steps) != 1 || !errors.Is(r.Unseen(), why) || len(r.Left) > 0 {
			t.Errorf("%v: %s, %v\n%s", why, conditional, err, r)
		}
	}
}

// A step that fails is unseen, and the others are tried.
func TestAStepFails(t *testing.T) {
	broken := errors.New("503 SlowDown")
	r := probe.Run(t.Context(), faulty.New(memory.New(), func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Create && strings.HasSuffix(key, "/race") {
			return faulty.After(broken)
		}
		return faulty.Fault{}
	}))
	conditional, err := r.Conditional()
	if conditional != probe.Unseen || !errors.Is(err, broken) || len(r.Findings()) > 0 || r.Of(probe.OddKeys).Verdict != probe.Holds {
		t.Errorf("%s, %v\n%s", conditional, err, r)
	}
}

// Two steps in a row that fail are a store that is away, which is asked no further.
func TestGoesAway(t *testing.T) {
	broken, tried := errors.New("503 SlowDown"), 0
	r := probe.Run(t.Context(), faulty.New(memory.New(), func(faulty.Op, string) faulty.Fault {
		if tried++; tried > 3 {
			return faulty.Before(broken)
		}
		return faulty.Fault{}
	}))
	conditional, err := r.Conditional()
	if len(r.Steps) != 5 || conditional != probe.Unseen || !errors.Is(err, broken) || r.Of(probe.Race).Verdict != probe.Unseen || len(r.Left) != 1 {
		t.Errorf("%s, %v\n%s", conditional, err, r)
	}
}

// other is a store that does something else than it must.
type other struct {
	warehouse.Store
	list func([]warehouse.Entry) []warehouse.Entry
	stat func(*warehouse.Info)
	key  func(string) string
	get  func([]byte) []byte
}

func (o other) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	if o.list == nil {
		return o.Store.List(ctx, prefix)
	}
	return func(yield func(warehouse.Entry, error) bool) {
		var all []warehouse.Entry
		for e, err := range o.Store.List(ctx, prefix) {
			if err != nil {
				yield(e, err)
				return
			}
			all = append(all, e)
		}
		for _, e := range o.list(all) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (o other) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	info, err := o.Store.Stat(ctx, key)
	if o.stat != nil {
		o.stat(&info)
	}
	return info, err
}

func (o other) Create(ctx context.Context, key string, data []byte) error {
	if o.key != nil {
		key = o.key(key)
	}
	return o.Store.Create(ctx, key, data)
}

func (o other) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if o.key != nil {
		key = o.key(key)
	}
	data, err := o.Store.Get(ctx, key, limit)
	if o.get != nil && err == nil {
		data = o.get(data)
	}
	return data, err
}

func TestStoresThatDoOtherwise(t *testing.T) {
	clock := func(off time.Duration) other {
		return other{stat: func(i *warehouse.Info) { i.Size, i.Modified = 5, time.Now().Add(off).UnixNano() }}
	}
	for name, test := range map[string]struct {
		store other
		want  map[string]probe.Verdict
		said  string
	}{
		"lists late": {other{list: func(all []warehouse.Entry) []warehouse.Entry { return all[:0] }},
			map[string]probe.Verdict{probe.List: probe.Broken, probe.OddKeys: probe.Broken}, "is not what is listed"},
		"decodes names": {other{key: func(key string) string { return strings.ReplaceAll(key, "+", " ") }},
			map[string]probe.Verdict{probe.OddKeys: probe.Broken}, "names are not kept apart"},
		"reads what was before": {other{get: func(data []byte) []byte {
			if string(data) == "the second" {
				return []byte("first")
			}
			return data
		}}, map[string]probe.Verdict{probe.ReadAfterReplace: probe.Broken}, "other bytes are read than were written last"},
		"ahead":        {clock(6*time.Minute + 2*time.Second), map[string]probe.Verdict{probe.Clock: probe.Broken}, "ahead of this machine's by 6m"},
		"behind":       {clock(-time.Hour - time.Minute), map[string]probe.Verdict{probe.Clock: probe.Broken}, "behind this machine's by 1h"},
		"nearly right": {clock(4 * time.Minute), map[string]probe.Verdict{}, ""},
		"another size": {other{stat: func(i *warehouse.Info) { i.Size = 3 }}, map[string]probe.Verdict{probe.Stat: probe.Broken}, "3 bytes are told of 5"},
	} {
		test.store.Store = memory.New()
		r := probe.Run(t.Context(), test.store)
		got := verdicts(r)
		delete(got, probe.BatchDelete)
		if got[probe.Clock] == probe.None {
			delete(got, probe.Clock)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || !strings.Contains(strings.Join(append(r.Findings(), r.Warnings()...), "\n"), test.said) {
			t.Errorf("%s: %s\n%s", name, diff, r)
		}
	}
}

// keeping still names what was deleted.
type keeping struct{ *memory.Store }

func (keeping) Delete(context.Context, string) error { return nil }

func TestDeletedAndStillThere(t *testing.T) {
	got := verdicts(probe.Run(t.Context(), keeping{memory.New()}))
	if got[probe.ReadAfterDelete] != probe.Broken || got[probe.ListAfterDelete] != probe.Broken {
		t.Errorf("%v", got)
	}
}

// hanging answers nobody, once its file is written.
type hanging struct{ *memory.Store }

func (hanging) List(ctx context.Context, _ string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		<-ctx.Done()
		yield(warehouse.Entry{}, ctx.Err())
	}
}

func TestAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		r := probe.Run(ctx, hanging{memory.New()})
		if took := time.Since(begun); took != time.Minute+5*time.Second || !errors.Is(r.Unseen(), context.DeadlineExceeded) || len(r.Left) != 1 {
			t.Errorf("it took %s\n%s", took, r)
		}
	})
}

// Storage that is only read is only listed.
func TestLook(t *testing.T) {
	for _, why := range []error{nil, warehouse.ErrNoBucket} {
		r := probe.Look(t.Context(), faulty.New(memory.New(), func(op faulty.Op, _ string) faulty.Fault {
			if op != faulty.List {
				t.Errorf("%s", op)
			}
			return faulty.Before(why)
		}))
		if err := r.Unseen(); !errors.Is(err, why) || (err == nil) != (why == nil) || len(r.Steps) != 1 {
			t.Errorf("%v: %s", why, r)
		}
	}
}

func TestJSON(t *testing.T) {
	ahead := -1500 * time.Millisecond
	data, err := json.Marshal(probe.Report{
		At: time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC), Took: 12345 * time.Microsecond, Ahead: &ahead, Left: []string{"_puddle/probe/x/a"},
		Steps: []probe.Step{{probe.Write, probe.Holds, 1500 * time.Microsecond, nil}, {probe.Delete, probe.Denied, 0, warehouse.ErrDenied}},
	})
	const want = `{"at":"2026-09-24T10:00:00.000Z","took-ms":12.345,"steps":[{"step":"write","verdict":"holds","took-ms":1.5},` +
		`{"step":"delete","verdict":"denied","took-ms":0,"reason":"warehouse: the storage refuses access"}],"clock-ahead-seconds":-1.5,"left":["_puddle/probe/x/a"]}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}
