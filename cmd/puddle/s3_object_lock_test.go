package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"puddle/internal/s3test"
)

// lockedLake is a warehouse in a bucket that locks each version for a day.
func lockedLake(t *testing.T, mode types.ObjectLockRetentionMode) (*lake, *s3.Client) {
	t.Helper()
	p := s3test.VersityWithVersions(t)
	client := s3.New(s3.Options{
		Region: s3test.Region, BaseEndpoint: &p.Endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(p.AccessKeyID, p.SecretAccessKey, ""),
	})
	l := &lake{T: t, dir: t.TempDir(), bucket: "locked-" + strings.ToLower(string(mode))}
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &l.bucket, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.PutObjectLockConfiguration(t.Context(), &s3.PutObjectLockConfigurationInput{
		Bucket: &l.bucket, ObjectLockConfiguration: &types.ObjectLockConfiguration{
			ObjectLockEnabled: types.ObjectLockEnabledEnabled,
			Rule:              &types.ObjectLockRule{DefaultRetention: &types.DefaultRetention{Mode: mode, Days: aws.Int32(1)}},
		},
	}); err != nil {
		t.Fatal(err)
	}
	_, l.endpoint = s3test.Faulty(t, p.Endpoint, l.fault)
	l.configure(p.SecretAccessKey, "journal: {archive: sync}\n")
	return l, client
}

// In a bucket with object lock puddle serves, commits, purges and recovers: it replaces and
// deletes by name, which leaves the locked versions where they are.
func TestS3ObjectLock(t *testing.T) {
	for _, mode := range []types.ObjectLockRetentionMode{types.ObjectLockRetentionModeGovernance, types.ObjectLockRetentionModeCompliance} {
		t.Run(string(mode), func(t *testing.T) {
			l, client := lockedLake(t, mode)
			s := l.serve()
			s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`)
			made := s.ask(http.MethodPost, "namespaces/s/tables", `{"name":"gone","schema":{"type":"struct","fields":[]}}`)
			if got := s.ask(http.MethodDelete, "namespaces/s/tables/gone?purgeRequested=true", ""); got.status != http.StatusNoContent {
				t.Fatalf("drop: %d %s", got.status, got.body)
			}
			l.until("1 removed, 0 kept, 0 failed", "log", "--kind", "table-purged")
			s.kill()
			l.comesBack(1, 3)
			for _, at := range []string{made.table(t).Pointer, fmt.Sprintf("s3://%s/wh/_puddle/head.json", l.bucket)} {
				l.stays(client, strings.TrimPrefix(at, "s3://"+l.bucket+"/"))
			}
		})
	}
}

// stays checks that every version of an object is there and cannot be deleted.
func (l *lake) stays(client *s3.Client, key string) {
	l.Helper()
	all, err := client.ListObjectVersions(l.Context(), &s3.ListObjectVersionsInput{Bucket: &l.bucket, Prefix: &key})
	if err != nil || len(all.Versions) == 0 {
		l.Fatalf("%s has %d versions, %v", key, len(all.Versions), err)
	}
	for _, v := range all.Versions {
		if _, err := client.DeleteObject(l.Context(), &s3.DeleteObjectInput{Bucket: &l.bucket, Key: v.Key, VersionId: v.VersionId}); err == nil {
			l.Errorf("version %s of %s is deleted", *v.VersionId, *v.Key)
		}
	}
}
