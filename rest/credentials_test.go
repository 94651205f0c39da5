package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"puddle/rest/access/vended"
)

// sts is an issuer that remembers what it was asked for.
type sts struct {
	mu       sync.Mutex
	sessions []string // guarded by mu
	policies []string // guarded by mu
	err      error    // guarded by mu: what it fails with
	now      func() time.Time
	behind   time.Duration // is its clock; it says so
}

// Issue implements vended.Issuer.
func (s *sts) Issue(_ context.Context, session, policy string) (vended.Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return vended.Credentials{}, s.err
	}
	s.sessions, s.policies = append(s.sessions, session), append(s.policies, policy)
	n := fmt.Sprint(len(s.policies))
	return vended.Credentials{
		AccessKeyID: "KEY-" + n, SecretAccessKey: "HUSH-" + n, SessionToken: "TOKEN-" + n,
		Expires: s.now().Add(time.Hour - s.behind), Answered: s.now().Add(-s.behind),
	}, nil
}

func (s *sts) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *sts) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.policies)
}

func (s *sts) policy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policies[len(s.policies)-1]
}

// service is what clients of the test's object store need to know.
var service = map[string]string{"s3.endpoint": "http://store", "s3.path-style-access": "true", "s3.region": "here", "client.region": "here"}

// serveVending makes a server of a warehouse in a bucket, whose STS that is, and a
// namespace n.
func serveVending(t testing.TB, change func(*Options)) (*fixture, *sts) {
	t.Helper()
	issuer := &sts{}
	f := serveBucket(t, func(o *Options) {
		issuer.now = o.Now
		o.Warehouses[0].Objects = ObjectStore{Config: service, Vendor: vended.New(vended.Options{Issuer: issuer, Life: time.Hour, Now: o.Now})}
		if change != nil {
			change(o)
		}
	})
	f.ns("n")
	return f, issuer
}

const vend = "X-Iceberg-Access-Delegation: vended-credentials"

// delegated is a LoadTableResult with credentials.
type delegated struct {
	Location    *string           `json:"metadata-location"`
	Config      map[string]string `json:"config"`
	Credentials []credential      `json:"storage-credentials"`
	Metadata    struct {
		UUID       string            `json:"table-uuid"`
		Location   string            `json:"location"`
		Properties map[string]string `json:"properties"`
	} `json:"metadata"`
}

func (f *fixture) delegated(a answer) (d delegated) {
	f.t.Helper()
	f.must(200, a).into(f.t, &d)
	if a.tag() != "" || a.Header.Get("Cache-Control") != "no-store" {
		f.t.Errorf("somebody may keep it: %v", a.Header)
	}
	if len(d.Credentials) == 0 || d.Config["s3.secret-access-key"] == "" {
		f.t.Fatalf("no credentials: %s", a.body)
	}
	return d
}

// Every client of the reference finds its keys, in config and in storage-credentials,
// with each answer that is a LoadTableResult.
func TestCredentialsAreVended(t *testing.T) {
	f, issuer := serveVending(t, nil)
	made := f.delegated(f.do("POST", v1+"/namespaces/n/tables", tableBody("t"), vend))
	keys := map[string]string{
		"s3.access-key-id": "KEY-1", "s3.secret-access-key": "HUSH-1", "s3.session-token": "TOKEN-1", "s3.session-token-expires-at-ms": made.Config["s3.session-token-expires-at-ms"],
	}
	maps.Copy(keys, service)
	equal(t, "credentials", made.Credentials, []credential{{made.Metadata.Location + "/", keys}})
	config := maps.Clone(keys)
	config["client.refresh-credentials-endpoint"] = "v1/default/namespaces/n/tables/t/credentials"
	equal(t, "config", made.Config, config)
	_, prefix, _ := strings.Cut(made.Metadata.Location, "s3://lake/")
	equal(t, "session", issuer.sessions[0], "anonymous@"+made.Metadata.UUID)
	want, err := vended.WritePolicy().For("aws", vended.Place{Bucket: "lake", Prefix: prefix + "/"})
	equal(t, "policy", issuer.policy(), want)
	equal(t, "error", err, nil)
	for _, header := range []string{vend, "X-Iceberg-Access-Delegation: remote-signing , Vended-Credentials", "x-iceberg-access-delegation:  vended-credentials"} {
		for _, query := range []string{"", "?snapshots=refs", "?snapshots=all"} {
			equal(t, header, f.delegated(f.do("GET", tablePath+query, "", header)).Config, config)
		}
	}
	refreshed := struct {
		Credentials []credential `json:"storage-credentials"`
	}{}
	f.must(200, f.do("GET", "/api/catalog/"+config["client.refresh-credentials-endpoint"]+"?planId=7", "")).into(t, &refreshed)
	equal(t, "refreshed", refreshed.Credentials, made.Credentials)
	f.must(204, f.do("DELETE", tablePath, ""))
	again := f.delegated(f.do("POST", registerPath, registerBody("back", *made.Location), vend))
	equal(t, "registered", again.Config["s3.access-key-id"], "KEY-1")
	equal(t, "calls", issuer.asked(), 1)
}

// Without being asked for, and in answers to commits, there are none; what is answered
// then is the same as where nobody vends.
func TestCase150_NoCredentialsUnasked(t *testing.T) {
	f, issuer := serveVending(t, nil)
	f.table("n", "t")
	for _, a := range []answer{
		f.do("GET", tablePath, ""), f.do("GET", tablePath, "", "X-Iceberg-Access-Delegation: remote-signing"),
		f.do("GET", tablePath, "", "X-Iceberg-Access-Delegation: vended-credentials-not"), f.do("GET", tablePath+"?snapshots=refs", ""),
		f.do("POST", tablePath, setProperty("a", "b"), vend), f.do("POST", tablePath, `{"updates":[]}`, vend),
		f.do("POST", v1+"/namespaces/n/views", viewBody("v"), vend), f.do("GET", v1+"/namespaces/n/views/v", "", vend),
		f.do("POST", tablePath+"/unregister", "", vend),
	} {
		f.must(200, a)
		for _, word := range []string{"s3.", "credentials", "client."} {
			if strings.Contains(string(a.body), word) {
				t.Errorf("%s is in %s", word, a.body)
			}
		}
	}
	equal(t, "calls", issuer.asked(), 0)
	var c configuration
	f.must(200, f.do("GET", catalogBase+"/config", "")).into(t, &c)
	equal(t, "defaults", c.Defaults, service)
	equal(t, "overrides", c.Overrides, map[string]string{"prefix": "default"})
}

// Where nobody vends, who asks gets the answer of who does not: no key of an object
// store stands in it, at which DuckDB would drop its user's own.
func TestCase150_NothingHalf(t *testing.T) {
	f := serveBucket(t, func(o *Options) { o.Warehouses[0].Objects.Config = service })
	f.ns("n")
	f.table("n", "t")
	a := f.do("GET", tablePath, "", vend)
	equal(t, "body", string(a.body), string(f.do("GET", tablePath, "").body))
	equal(t, "status", f.do("GET", tablePath, "", vend, "If-None-Match: "+f.tagged(a)).StatusCode, 304)
	if !strings.Contains(string(a.body), `"config":{}`) {
		t.Errorf("%s", a.body)
	}
	var c configuration
	f.must(200, f.do("GET", catalogBase+"/config", "")).into(t, &c)
	equal(t, "defaults", c.Defaults, service)
	if slices.ContainsFunc(c.Endpoints, func(e string) bool { return strings.HasSuffix(e, "/credentials") }) {
		t.Error("credentials are offered")
	}
	f.fails(f.do("GET", tablePath+"/credentials", ""), 406, "UnsupportedOperationException")
}

// Credentials end: whoever asks for them is never told that nothing has changed.
func TestCase99_NoTagsWithCredentials(t *testing.T) {
	f, _ := serveVending(t, nil)
	tag := f.tagged(f.table("n", "t"))
	for _, query := range []string{"", "?snapshots=refs"} {
		for _, held := range []string{tag, "*"} {
			f.delegated(f.do("GET", tablePath+query, "", vend, "If-None-Match: "+held))
		}
	}
	equal(t, "without", f.do("GET", tablePath, "", "If-None-Match: "+tag).StatusCode, 304)
}

// Case 150: neighbours by name are out of reach, and a path for data that lies apart is
// in it, with one prefix for it all where Java's client asks again.
func TestCase150_PlacesOfOneTable(t *testing.T) {
	f, issuer := serveVending(t, nil)
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody("ab"), "location", "s3://lake/default/ab")))
	body := strings.Replace(asking(t, tableBody("t"), "location", "s3a://lake/default/a/"), `{"location"`,
		`{"properties":{"write.data.path":"s3a://lake/default/d/a","write.metadata.path":"s3a://lake/default/a/meta"},"location"`, 1)
	d := f.delegated(f.do("POST", v1+"/namespaces/n/tables", body, vend))
	prefixes := []string{d.Credentials[0].Prefix, d.Credentials[1].Prefix}
	equal(t, "prefixes", prefixes, []string{"s3a://lake/default/a/", "s3a://lake/default/d/a/"})
	want, _ := vended.WritePolicy().For("aws", vended.Place{Bucket: "lake", Prefix: "default/a/"}, vended.Place{Bucket: "lake", Prefix: "default/d/a/"})
	equal(t, "policy", issuer.policy(), want)
	var all struct {
		Credentials []credential `json:"storage-credentials"`
	}
	f.must(200, f.do("GET", tablePath+"/credentials", "")).into(t, &all)
	if len(all.Credentials) != 1 || all.Credentials[0].Prefix != "s3a://lake/default/" {
		t.Error(all)
	}
}

// Case 143: what no policy can name gets no credentials, and is told why.
func TestCase143_NamesThatNoPolicyNames(t *testing.T) {
	f, issuer := serveVending(t, nil)
	for i, location := range []string{"s3://lake/default/*.*", "s3://lake/default/t?", "s3://lake/default/${aws:username}"} {
		name := fmt.Sprint("t", i)
		f.must(200, f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody(name), "location", location), vend))
		path := v1 + "/namespaces/n/tables/" + name
		for _, a := range []answer{f.do("GET", path, "", vend), f.do("GET", path+"/credentials", "")} {
			if message := f.fails(a, 406, "UnsupportedOperationException"); !strings.Contains(message, location) {
				t.Error(message)
			}
		}
		f.must(200, f.do("GET", path, ""))
		f.fails(f.do("POST", v1+"/namespaces/n/tables", asking(t, strings.Replace(tableBody("s"), "{", `{"stage-create":true,`, 1), "location", strings.Replace(location, "default/", "default/s-", 1)), vend),
			406, "UnsupportedOperationException")
	}
	odd := f.delegated(f.do("POST", v1+"/namespaces/n/tables", tableBody("*.* a+b/c"), vend))
	equal(t, "endpoint", odd.Config["client.refresh-credentials-endpoint"], "v1/default/namespaces/n/tables/%2A.%2A%20a%2Bb%2Fc/credentials")
	f.must(200, f.do("GET", "/api/catalog/"+odd.Config["client.refresh-credentials-endpoint"], ""))
	for _, policy := range issuer.policies {
		if strings.Contains(policy, "*.*") || strings.Contains(policy, "aws:username") {
			t.Error(policy)
		}
	}
}

// Where nothing may be changed, as while the journal is behind its archive, credentials
// only read, and none are made to write a staged table.
func TestCredentialsOfAReadOnlyWarehouse(t *testing.T) {
	var why error
	f, issuer := serveVending(t, func(o *Options) { o.Warehouses[0].ReadOnly = func() error { return why } })
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("t"), "location", "s3://lake/default/t")))
	place := vended.Place{Bucket: "lake", Prefix: "default/t/"}
	write, _ := vended.WritePolicy().For("aws", place)
	read, _ := vended.ReadPolicy().For("aws", place)
	f.delegated(f.do("GET", tablePath, "", vend))
	equal(t, "policy", issuer.policy(), write)
	why = errors.New("another catalog writes to it")
	f.delegated(f.do("GET", tablePath, "", vend))
	equal(t, "policy", issuer.policy(), read)
	f.must(200, f.do("GET", tablePath+"/credentials", ""))
	asked := issuer.asked()
	if message := f.fails(f.do("POST", tablesPath, staging(t, "s", ""), vend), 503, "SlowDownException"); !strings.Contains(message, why.Error()) {
		t.Error(message)
	}
	equal(t, "calls", issuer.asked(), asked)
}

// The past is read only, and what lies where another table is by now is out of reach.
func TestCredentialsOfThePast(t *testing.T) {
	f, issuer := serveVending(t, nil)
	at := asking(t, tableBody("t"), "location", "s3://lake/default/a")
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", at))
	then := strings.Replace(tablePath, "default", "default@3", 1)
	d := f.delegated(f.do("GET", then, "", vend))
	want, _ := vended.ReadPolicy().For("aws", vended.Place{Bucket: "lake", Prefix: "default/a/"})
	equal(t, "policy", issuer.policy(), want)
	equal(t, "endpoint", d.Config["client.refresh-credentials-endpoint"], "v1/default@3/namespaces/n/tables/t/credentials")
	f.must(200, f.do("GET", "/api/catalog/"+d.Config["client.refresh-credentials-endpoint"], ""))
	f.must(204, f.do("DELETE", tablePath, ""))
	f.delegated(f.do("GET", then, "", vend))
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", strings.Replace(at, `"t"`, `"u"`, 1)))
	f.fails(f.do("GET", then, "", vend), 406, "UnsupportedOperationException")
	f.must(200, f.do("GET", then, ""))
}

// STS fails: who needs it is asked to come again and is not told why; the log is, and
// loads without credentials go on. What is done is answered as done.
func TestNobodyMakesCredentials(t *testing.T) {
	f, issuer := serveVending(t, nil)
	f.table("n", "t")
	issuer.fail(errors.New("sts: AssumeRole: AccessDenied"))
	stage := strings.Replace(tableBody("s"), "{", `{"stage-create":true,`, 1)
	for _, a := range []answer{
		f.do("GET", tablePath, "", vend), f.do("GET", tablePath+"/credentials", ""), f.do("POST", v1+"/namespaces/n/tables", stage, vend),
	} {
		message := f.fails(a, 503, "SlowDownException")
		if a.Header.Get("Retry-After") == "" || strings.Contains(message, "AccessDenied") {
			t.Errorf("%v %s", a.Header, message)
		}
		if entry := f.logged(); entry.Err == nil || !strings.Contains(entry.Err.Error(), "AccessDenied") {
			t.Error(entry)
		}
	}
	f.must(200, f.do("GET", tablePath, ""))
	made := f.must(200, f.do("POST", v1+"/namespaces/n/tables", tableBody("u"), vend))
	if entry := f.logged(); strings.Contains(string(made.body), "credentials") || entry.Err == nil || !strings.Contains(entry.Err.Error(), "AccessDenied") {
		t.Errorf("%s %v", made.body, entry)
	}
	f.tagged(made)
	issuer.fail(nil)
	f.delegated(f.do("GET", tablePath, "", vend))
}
