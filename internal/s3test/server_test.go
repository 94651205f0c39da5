package s3test_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"puddle/internal/s3test"
)

// client asks a server as AWS's SDK does, once.
func client(server *s3test.Server, key, secret, token string) *s3.Client {
	return s3.New(s3.Options{
		Region: s3test.Region, BaseEndpoint: &server.Endpoint, UsePathStyle: true, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider(key, secret, token),
	})
}

func owner(server *s3test.Server) *s3.Client {
	return client(server, server.AccessKeyID, server.SecretAccessKey, "")
}

func put(ctx context.Context, c *s3.Client, bucket, key, unless string) error {
	in := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("body of " + key)}
	if unless != "" {
		in.IfNoneMatch = &unless
	}
	_, err := c.PutObject(ctx, in)
	return err
}

// wants is an error of the test unless err has the code; empty: unless it is nil.
func wants(t *testing.T, what string, err error, code string) {
	t.Helper()
	var answer smithy.APIError
	if code == "" && err != nil || code != "" && (!errors.As(err, &answer) || answer.ErrorCode() != code) {
		t.Errorf("%s: %v, want %q", what, err, code)
	}
}

func TestWhoIsNotTheOwnerIsRefused(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	for name, c := range map[string]struct{ key, secret, token, code string }{
		"the owner":        {server.AccessKeyID, server.SecretAccessKey, "", ""},
		"another secret":   {server.AccessKeyID, "guessed", "", "SignatureDoesNotMatch"},
		"an unknown key":   {"nobody", server.SecretAccessKey, "", "InvalidAccessKeyId"},
		"a token too many": {server.AccessKeyID, server.SecretAccessKey, "token", "InvalidToken"},
	} {
		wants(t, name, put(t.Context(), client(server, c.key, c.secret, c.token), bucket, "a b+c/%25 ü~*'()", ""), c.code)
	}
	answer, err := http.Get(server.Endpoint + "/" + bucket + "/k")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("who does not sign: %d", answer.StatusCode)
	}
	elsewhere := s3.New(s3.Options{
		Region: "eu-central-1", BaseEndpoint: &server.Endpoint, UsePathStyle: true, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider(server.AccessKeyID, server.SecretAccessKey, ""),
	})
	wants(t, "another region", put(t.Context(), elsewhere, bucket, "k", ""), "AuthorizationHeaderMalformed")
}

func TestPresigned(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	if err := put(t.Context(), owner(server), bucket, "k", ""); err != nil {
		t.Fatal(err)
	}
	signed, err := s3.NewPresignClient(owner(server)).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: aws.String("k")}, s3.WithPresignExpires(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for url, status := range map[string]int{
		signed.URL: http.StatusOK,
		strings.Replace(signed.URL, "/k?", "/l?", 1):                         http.StatusForbidden,
		strings.Replace(signed.URL, "X-Amz-Expires=60", "X-Amz-Expires=", 1): http.StatusBadRequest,
	} {
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != status || status == http.StatusOK && string(body) != "body of k" {
			t.Errorf("%s: %d %s, want %d", url, answer.StatusCode, body, status)
		}
	}
}

func TestConditions(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		server *s3test.Server
		code   string
	}{
		"as S3":        {s3test.Start(t), "PreconditionFailed"},
		"ignores them": {s3test.Start(t, s3test.IgnoringConditions()), ""},
	} {
		bucket, asks := c.server.Bucket(t), owner(c.server)
		wants(t, name, put(ctx, asks, bucket, "k", "*"), "")
		wants(t, name, put(ctx, asks, bucket, "k", "*"), c.code)
		wants(t, name, put(ctx, asks, bucket, "k", ""), "")
		end := func(key string) error {
			up, err := asks.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
			if err != nil {
				return err
			}
			part, err := asks.UploadPart(ctx, &s3.UploadPartInput{Bucket: &bucket, Key: &key, UploadId: up.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("part")})
			if err != nil {
				return err
			}
			parts := &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{ETag: part.ETag, PartNumber: aws.Int32(1)}}}
			_, err = asks.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
				Bucket: &bucket, Key: &key, UploadId: up.UploadId, MultipartUpload: parts, IfNoneMatch: aws.String("*"),
			})
			return err
		}
		wants(t, name+", in parts", end("k"), c.code)
		wants(t, name+", in parts, not there", end("new"), "")
	}
}

func TestDeniedToEverybody(t *testing.T) {
	server := s3test.Start(t, s3test.Denying("s3:DeleteObject", "s3:PutObject arn:aws:s3:::*/locked/*"))
	bucket, asks, ctx := server.Bucket(t), owner(server), t.Context()
	wants(t, "put", put(ctx, asks, bucket, "k", ""), "")
	wants(t, "put what is locked", put(ctx, asks, bucket, "locked/k", ""), "AccessDenied")
	_, err := asks.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: aws.String("k")})
	wants(t, "delete", err, "AccessDenied")
	server.Deny()
	_, err = asks.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: aws.String("k")})
	wants(t, "delete what is allowed again", err, "")
}

// TestInFrontOfAnother is a front whose objects are behind another front, and behind
// versitygw: what the clients sent arrives there, signed by the first.
func TestInFrontOfAnother(t *testing.T) {
	t.Run("front", func(t *testing.T) {
		behind := s3test.Start(t)
		inFrontOf(t, behind.Endpoint, behind.AccessKeyID, behind.SecretAccessKey)
	})
	t.Run("versitygw", func(t *testing.T) {
		behind := s3test.Versity(t)
		inFrontOf(t, behind.Endpoint, behind.AccessKeyID, behind.SecretAccessKey)
	})
}

func inFrontOf(t *testing.T, endpoint, key, secret string) {
	server := s3test.Start(t, s3test.InFrontOf(endpoint, key, secret))
	server.AccessKeyID, server.SecretAccessKey = "front", "front's"
	bucket, ctx, asks := server.Bucket(t), t.Context(), owner(server)
	const odd = "a b+c/%25 ü~*'()/=&?#;x"
	wants(t, "put", put(ctx, asks, bucket, odd, "*"), "")
	wants(t, "put what is there", put(ctx, asks, bucket, odd, "*"), "PreconditionFailed")
	for what, from := range map[string]*s3.Client{"front": asks, "behind": client(&s3test.Server{Endpoint: endpoint}, key, secret, "")} {
		got, err := from.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String(odd), Range: aws.String("bytes=5-12")})
		if err != nil {
			t.Fatal(what, err)
		}
		if body, err := io.ReadAll(got.Body); string(body) != ("body of " + odd)[5:13] || err != nil {
			t.Errorf("%s: %q %v", what, body, err)
		}
		list, err := from.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: aws.String("a b+c/%")})
		if err != nil || len(list.Contents) != 1 || *list.Contents[0].Key != odd {
			t.Errorf("%s: %+v %v", what, list, err)
		}
	}
	wants(t, "the key of the one behind", put(ctx, client(server, key, secret, ""), bucket, "k", ""), "InvalidAccessKeyId")
	other := types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String(odd)}}}
	_, err := asks.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &other})
	wants(t, "delete", err, "")
	_, err = asks.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: aws.String(odd)})
	wants(t, "what is deleted", err, "NotFound")
}
