package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"puddle/internal/s3test"
)

// A bucket that keeps versions marks what is deleted: that is gone to everybody who does not
// ask for versions, and the catalog comes back from what is left.
func TestS3Versions(t *testing.T) {
	store := s3test.Start(t)
	l := newLake(t, store, store.Bucket(t), "journal: {archive: sync}\n")
	client := s3.New(s3.Options{
		Region: s3test.Region, BaseEndpoint: &store.Endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(store.AccessKeyID, store.SecretAccessKey, ""),
	})
	if _, err := client.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
		Bucket: &l.bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	}); err != nil {
		t.Fatal(err)
	}
	s := l.serve()
	s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`)
	made := s.ask(http.MethodPost, "namespaces/s/tables", `{"name":"gone","schema":{"type":"struct","fields":[]}}`)
	if got := s.ask(http.MethodDelete, "namespaces/s/tables/gone?purgeRequested=true", ""); got.status != http.StatusNoContent {
		t.Fatalf("drop: %d %s", got.status, got.body)
	}
	l.until("1 removed, 0 kept, 0 failed", "log", "--kind", "table-purged")
	s.kill()
	l.comesBack(1, 3)

	key := strings.TrimPrefix(made.table(t).Pointer, "s3://"+l.bucket+"/")
	versions, err := client.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: &l.bucket, Prefix: aws.String(key)})
	if err != nil || len(versions.DeleteMarkers) != 1 {
		t.Errorf("what was purged has no marker: %+v, %v", versions, err)
	}
}
