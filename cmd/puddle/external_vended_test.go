package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/rs/zerolog"

	"puddle/internal/s3test"
)

// besideBucket is a server whose warehouse is a folder, beside an external one in a bucket
// that vends credentials, with a table t of it registered.
func besideBucket(t *testing.T) *vending {
	t.Helper()
	v := &vending{store: s3test.Start(t), log: &logged{}}
	v.bucket = v.store.Bucket(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "puddle.yaml")
	text := fmt.Sprintf(`data-dir: %[1]s/d
warehouses: {default: {location: "file://%[1]s/wh"}}
external-warehouses:
  old:
    location: s3://%[2]s/lake
    s3: {region: %[3]s, endpoint: %[4]q, path-style-access: true, access-key-id: %[5]q, secret-access-key: %[6]q, vended-credentials: {enabled: true, role-arn: %[7]q}}
`, dir, v.bucket, s3test.Region, v.store.Endpoint, v.store.AccessKeyID, v.store.SecretAccessKey, s3test.RoleARN)
	c := loadConfig(t, file, text)
	v.owner = v.client(map[string]string{"s3.access-key-id": v.store.AccessKeyID, "s3.secret-access-key": v.store.SecretAccessKey})
	table := fmt.Sprintf(`{"format-version":2,"table-uuid":"00000000-0000-4000-8000-000000000001","location":"s3://%s/lake/t","last-sequence-number":0,"last-updated-ms":1,`+
		`"last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","type":"int","required":false}]}],"default-spec-id":0,`+
		`"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]}`, v.bucket)
	if _, err := v.owner.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(v.bucket), Key: aws.String("lake/t/metadata/v1.metadata.json"), Body: strings.NewReader(table),
	}); err != nil {
		t.Fatal(err)
	}
	v.running = startedWith(t, c, zerolog.New(v.log))
	v.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	v.post("/api/catalog/v1/namespaces/n/register", fmt.Sprintf(`{"name":"t","metadata-location":"s3://%s/lake/t/metadata/v1.metadata.json"}`, v.bucket))
	return v
}

// Case 150: the credentials of a table in an external warehouse read it, write nothing and
// reach nothing else of it.
func TestCase150_CredentialsOfExternal(t *testing.T) {
	v := besideBucket(t)
	reader := v.client(v.keys(http.MethodGet, "namespaces/n/tables/t", ""))
	for key, refused := range map[string]string{
		"lake/t/data/x.parquet": "put upload copy delete",
		// Of other catalogs, which lie below a place that anybody may have named.
		"lake/t/_puddle/x.json":       "get put upload copy delete",
		"lake/t/wh/_puddle/catalog/x": "get put upload copy delete",
		"lake/t/data/my_puddle/x":     "put upload copy delete",
		"lake/t/data/_puddle.d/x":     "put upload copy delete",
		"lake/t2/data/x.parquet":      "get put list upload copy delete",
		"lake/_puddle/x.json":         "get put list upload copy delete",
		"other/x":                     "get put list upload copy delete",
	} {
		if got := v.does(reader, key); got != refused {
			t.Errorf("%s: refused %q, not %q", key, got, refused)
		}
	}
	v.stopped()
}
