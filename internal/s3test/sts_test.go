package s3test_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"puddle/internal/s3test"
)

// assume asks for a session as the owner, with a change to what is asked for.
func assume(ctx context.Context, server *s3test.Server, policy string, change func(*sts.AssumeRoleInput)) (*s3.Client, error) {
	asks := sts.New(sts.Options{
		Region: "eu-west-1", BaseEndpoint: &server.Endpoint, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider(server.AccessKeyID, server.SecretAccessKey, ""),
	})
	in := &sts.AssumeRoleInput{RoleArn: aws.String(s3test.RoleARN), RoleSessionName: aws.String("a@puddle"), DurationSeconds: aws.Int32(900)}
	if policy != "" {
		in.Policy = &policy
	}
	if change != nil {
		change(in)
	}
	got, err := asks.AssumeRole(ctx, in)
	if err != nil {
		return nil, err
	}
	if left := time.Until(*got.Credentials.Expiration); left > 15*time.Minute || *got.AssumedRoleUser.Arn == "" {
		return nil, fmt.Errorf("%s for %s", *got.AssumedRoleUser.Arn, left)
	}
	return client(server, *got.Credentials.AccessKeyId, *got.Credentials.SecretAccessKey, *got.Credentials.SessionToken), nil
}

const readAndWrite = `{"Version":"2012-10-17","Statement":[
	{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","s3:DeleteObject","s3:AbortMultipartUpload","s3:ListMultipartUploadParts"],"Resource":"arn:aws:s3:::%[1]s/wh/a/*"},
	{"Effect":"Allow","Action":"s3:ListBucket","Resource":"arn:aws:s3:::%[1]s","Condition":{"StringLike":{"s3:prefix":"wh/a/*"}}}]}`

// lake is a bucket with an object of each kind of place.
func lake(t *testing.T, server *s3test.Server) (bucket string) {
	t.Helper()
	bucket = server.Bucket(t)
	for _, key := range []string{"wh/a/x", "wh/a/y", "wh/a2/x", "wh/b/x", "wh/_puddle/x"} {
		if err := put(t.Context(), owner(server), bucket, key, ""); err != nil {
			t.Fatal(err)
		}
	}
	return bucket
}

func TestSessionsAreHeldToTheirPolicy(t *testing.T) {
	t.Run("memory", func(t *testing.T) { heldToPolicy(t, s3test.Start(t)) })
	t.Run("versitygw", func(t *testing.T) {
		behind := s3test.Versity(t)
		heldToPolicy(t, s3test.Start(t, s3test.InFrontOf(behind.Endpoint, behind.AccessKeyID, behind.SecretAccessKey)))
	})
}

func heldToPolicy(t *testing.T, server *s3test.Server) {
	ctx := t.Context()
	bucket := lake(t, server)
	asks, err := assume(ctx, server, fmt.Sprintf(readAndWrite, bucket), nil)
	if err != nil {
		t.Fatal(err)
	}
	get := func(bucket, key string) error {
		_, err := asks.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
		return err
	}
	list := func(prefix *string) error {
		_, err := asks.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: prefix})
		return err
	}
	copied := func(from, to string) error {
		_, err := asks.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &bucket, Key: &to, CopySource: aws.String(bucket + "/" + from)})
		return err
	}
	initiate := func(key string) error {
		_, err := asks.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
		return err
	}
	other := server.Bucket(t)
	blind, err := assume(ctx, server, fmt.Sprintf(`{"Statement":{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s/*"}}`, bucket), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, unlisted := blind.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String("wh/a/none")})
	for _, c := range []struct {
		what, code string
		err        error
	}{
		{"get", "", get(bucket, "wh/a/x")},
		{"put", "", put(ctx, asks, bucket, "wh/a/data/new", "")},
		{"list", "", list(aws.String("wh/a/"))},
		{"begin an upload in parts", "", initiate("wh/a/parts")},
		{"copy", "", copied("wh/a/x", "wh/a/copy")},
		{"get of another table", "AccessDenied", get(bucket, "wh/b/x")},
		{"get of a twin", "AccessDenied", get(bucket, "wh/a2/x")},
		{"get of the catalog's own", "AccessDenied", get(bucket, "wh/_puddle/x")},
		{"get of another bucket", "AccessDenied", get(other, "wh/a/x")},
		{"get of what is not there", "NoSuchKey", get(bucket, "wh/a/none")},
		{"get of what is not there, by who may not list it", "AccessDenied", unlisted},
		{"put to another table", "AccessDenied", put(ctx, asks, bucket, "wh/b/new", "")},
		{"begin an upload in parts elsewhere", "AccessDenied", initiate("wh/a2/parts")},
		{"list of a twin", "AccessDenied", list(aws.String("wh/a2/"))},
		{"list of all that begins so", "AccessDenied", list(aws.String("wh/a"))},
		{"list of all", "AccessDenied", list(nil)},
		{"copy out", "AccessDenied", copied("wh/a/x", "wh/b/copy")},
		{"copy in", "AccessDenied", copied("wh/b/x", "wh/a/stolen")},
	} {
		wants(t, c.what, c.err, c.code)
	}
	_, err = assume(ctx, server, "", nil)
	wants(t, "a session without a policy", err, "")
}

func TestBatchDeletesAreJudgedByKey(t *testing.T) {
	server, ctx := s3test.Start(t), t.Context()
	bucket := lake(t, server)
	asks, err := assume(ctx, server, fmt.Sprintf(readAndWrite, bucket), nil)
	if err != nil {
		t.Fatal(err)
	}
	remove := func(keys ...string) (deleted, refused string) {
		var objects []types.ObjectIdentifier
		for _, key := range keys {
			objects = append(objects, types.ObjectIdentifier{Key: &key})
		}
		got, err := asks.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: objects}})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range got.Deleted {
			deleted += *o.Key + " "
		}
		for _, o := range got.Errors {
			refused += *o.Key + " " + *o.Code + " "
		}
		return deleted, refused
	}
	if deleted, refused := remove("wh/a/x", "wh/b/x", "wh/a/y"); deleted != "wh/a/x wh/a/y " || refused != "wh/b/x AccessDenied " {
		t.Errorf("deleted %s, refused %s", deleted, refused)
	}
	if deleted, refused := remove("wh/b/x"); deleted != "" || refused != "wh/b/x AccessDenied " {
		t.Errorf("deleted %s, refused %s", deleted, refused)
	}
	left, err := owner(server).ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket})
	if err != nil || len(left.Contents) != 3 {
		t.Errorf("%d are left (%v)", len(left.Contents), err)
	}
}

func TestSessionsEnd(t *testing.T) {
	server, ctx := s3test.Start(t), t.Context()
	bucket := lake(t, server)
	asks, err := assume(ctx, server, fmt.Sprintf(readAndWrite, bucket), nil)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "while it lasts", put(ctx, asks, bucket, "wh/a/1", ""), "")
	server.EndSessions()
	wants(t, "when it is ended", put(ctx, asks, bucket, "wh/a/2", ""), "ExpiredToken")
	server.LastFor(-time.Minute)
	if asks, err = assume(ctx, server, "", nil); err != nil {
		t.Fatal(err)
	}
	wants(t, "when it had ended before", put(ctx, asks, bucket, "wh/a/3", ""), "ExpiredToken")
	if asked := server.Assumed(); len(asked) != 2 || asked[0].SessionName != "a@puddle" || asked[0].Region != "eu-west-1" || asked[0].Duration != 15*time.Minute ||
		!strings.Contains(asked[0].Policy, bucket) {
		t.Errorf("%+v", asked)
	}
}

func TestSTSRefusesWhatAWSDoes(t *testing.T) {
	server, ctx := s3test.Start(t, s3test.WithExternalID("lake-7")), t.Context()
	right := func(in *sts.AssumeRoleInput) { in.ExternalId = aws.String("lake-7") }
	policy := fmt.Sprintf(readAndWrite, "b")
	for name, c := range map[string]struct {
		policy string
		change func(*sts.AssumeRoleInput)
		code   string
	}{
		"nothing":                          {policy, func(*sts.AssumeRoleInput) {}, ""},
		"another role":                     {policy, func(in *sts.AssumeRoleInput) { in.RoleArn = aws.String(s3test.RoleARN + "2") }, "AccessDenied"},
		"another external id":              {policy, func(in *sts.AssumeRoleInput) { in.ExternalId = aws.String("lake-8") }, "AccessDenied"},
		"no external id":                   {policy, func(in *sts.AssumeRoleInput) { in.ExternalId = nil }, "AccessDenied"},
		"a session's name with a space":    {policy, func(in *sts.AssumeRoleInput) { in.RoleSessionName = aws.String("a b") }, "ValidationError"},
		"a minute":                         {policy, func(in *sts.AssumeRoleInput) { in.DurationSeconds = aws.Int32(60) }, "ValidationError"},
		"a day":                            {policy, func(in *sts.AssumeRoleInput) { in.DurationSeconds = aws.Int32(86400) }, "ValidationError"},
		"a policy of 2,048 characters":     {policy + strings.Repeat(" ", 2048-len(policy)), nil, ""},
		"a policy of 2,049 characters":     {policy + strings.Repeat(" ", 2049-len(policy)), nil, "ValidationError"},
		"a policy with characters beyond ": {strings.Replace(policy, "wh/a", "wh/日", 1), nil, "ValidationError"},
		"no JSON":                          {policy[1:], nil, "MalformedPolicyDocument"},
		"a policy of another language":     {strings.Replace(policy, "StringLike", "ArnLike", 1), nil, "MalformedPolicyDocument"},
	} {
		_, err := assume(ctx, server, c.policy, func(in *sts.AssumeRoleInput) {
			right(in)
			if c.change != nil {
				c.change(in)
			}
		})
		wants(t, name, err, c.code)
	}
	server.FailSTS(503)
	_, err := assume(ctx, server, policy, right)
	wants(t, "STS that fails", err, "ServiceUnavailable")
	server.FailSTS(0)
	asks, err := assume(ctx, server, policy, right)
	wants(t, "STS that is well again", err, "")
	_, err = asks.ListBuckets(ctx, &s3.ListBucketsInput{})
	wants(t, "what the policy does not name", err, "AccessDenied")
	if err := put(ctx, owner(server), server.Bucket(t), "k", ""); err != nil {
		t.Error(err)
	}
}
