package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"puddle/internal/s3test"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// oldBucket is an object store of others, with a lake of two tables of which one may not
// be read, and a configuration that reads it. A request that is no read fails the test.
func oldBucket(t *testing.T) (at func(table string) string, more string) {
	t.Helper()
	old := s3test.Start(t)
	bucket := old.Bucket(t)
	location, err := store.ParseLocation("s3://" + bucket + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	service, err := s3.New(t.Context(), s3.Options{
		Region: s3test.Region, Endpoint: old.Endpoint, PathStyle: true, AccessKeyID: old.AccessKeyID, SecretAccessKey: old.SecretAccessKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range []string{"t", "denied"} {
		text := fmt.Sprintf(`{"format-version":2,"table-uuid":"00000000-0000-4000-8000-00000000000%d","location":"s3://%s/lake/%s","last-sequence-number":0,"last-updated-ms":1,`+
			`"last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","type":"int","required":false}]}],"default-spec-id":0,`+
			`"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]}`, i, bucket, table)
		if err := service.Store(location).Put(t.Context(), table+"/metadata/v1.metadata.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	old.Deny("s3:PutObject", "s3:DeleteObject", "s3:GetObject arn:aws:s3:::"+bucket+"/lake/denied/*")
	_, network := s3test.Faulty(t, old.Endpoint, func(r *http.Request) s3test.Fault {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		return s3test.None
	})
	keys := func(secret string) string {
		return fmt.Sprintf("{region: %s, endpoint: %q, path-style-access: true, access-key-id: %s, secret-access-key: %q}", s3test.Region, network, old.AccessKeyID, secret)
	}
	more = "external-warehouses:\n  old: {location: s3://" + bucket + "/lake, s3: " + keys(old.SecretAccessKey) + "}\n" +
		"  locked: {location: s3://" + bucket + "/other, s3: " + keys("not the secret") + "}\n" +
		"  nowhere: {location: s3://no-such-bucket, s3: " + keys(old.SecretAccessKey) + "}\n"
	return func(table string) string {
		return "s3://" + bucket + "/" + table + "/metadata/v1.metadata.json"
	}, more
}

// An old lake in a bucket with an owner and keys of its own: what is registered from it is
// read, and never written, through a purge and the loss of the catalog; and what is not
// there, or not for puddle's eyes, is all one.
func TestS3External(t *testing.T) {
	at, more := oldBucket(t)
	own := s3test.Start(t)
	l := newLake(t, own, own.Bucket(t), "journal: {archive: sync}\n"+more)
	s := l.serve()
	s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`)
	register := func(name, file string) answer {
		return s.ask(http.MethodPost, "namespaces/s/register", fmt.Sprintf(`{"name":%q,"metadata-location":%q}`, name, file))
	}
	withheld := ""
	for _, file := range []string{at("lake/missing"), at("lake/denied"), at("other/t"), at("elsewhere/t"), "s3://no-such-bucket/t/v1.metadata.json", at("lake/_puddle")} {
		got := register("x", file)
		body := strings.ReplaceAll(string(got.body), file, "LOCATION")
		if withheld == "" {
			withheld = body
		}
		if got.status != http.StatusBadRequest || body != withheld {
			t.Errorf("%s: %d %s", file, got.status, got.body)
		}
	}
	if got := register("t", at("lake/t")); got.status != http.StatusOK {
		t.Fatalf("register: %d %s", got.status, got.body)
	}
	commit := `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`
	if got := s.ask(http.MethodPost, "namespaces/s/tables/t", commit); got.status != http.StatusForbidden || !strings.Contains(string(got.body), "external warehouse old") {
		t.Errorf("commit: %d %s", got.status, got.body)
	}
	s.ask(http.MethodDelete, "namespaces/s/tables/t?purgeRequested=true", "")
	s.until("0 removed", "log", "--kind", "table-purged")
	if got := register("t", at("lake/t")); got.status != http.StatusOK {
		t.Fatalf("register again: %d %s", got.status, got.body)
	}
	s.kill()
	l.puddle(codeDone, "verify", "--level", "4")
	if err := os.RemoveAll(l.data()); err != nil {
		t.Fatal(err)
	}
	l.puddle(codeDone, "recover")
	s = l.serve()
	if got := s.ask(http.MethodGet, "namespaces/s/tables/t", ""); got.status != http.StatusOK || got.table(t).Pointer != at("lake/t") {
		t.Errorf("load: %d %s", got.status, got.body)
	}
	s.kill()
}
