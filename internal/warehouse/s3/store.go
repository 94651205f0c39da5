package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"puddle/internal/warehouse"
)

// Store is a [warehouse.Store] below a prefix of a bucket. Safe for concurrent use.
type Store struct {
	client *s3.Client
	bucket string
	prefix string // empty, or ends in a slash
}

var _ warehouse.Store = (*Store)(nil)

// Get implements [warehouse.Reader].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	found, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: aws.String(s.prefix + key)})
	if err != nil {
		return nil, failed(key, err)
	}
	defer found.Body.Close()
	if size := aws.ToInt64(found.ContentLength); size > limit {
		return nil, fmt.Errorf("%w: %q has %d bytes, the limit is %d", warehouse.ErrTooLarge, key, size, limit)
	}
	data, err := io.ReadAll(found.Body)
	return data, failed(key, err)
}

// Stat implements [warehouse.Reader].
func (s *Store) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	if err := check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	found, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(s.prefix + key)})
	if err != nil {
		return warehouse.Info{}, failed(key, err)
	}
	return warehouse.Info{
		Size: aws.ToInt64(found.ContentLength), Tag: tag(found.ETag), Modified: aws.ToTime(found.LastModified).UnixNano(),
	}, nil
}

// List implements [warehouse.Reader].
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		prefix, err := warehouse.CleanPrefix(prefix)
		if err != nil {
			yield(warehouse.Entry{}, err)
			return
		}
		if prefix != "" {
			prefix += "/"
		}
		pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: aws.String(s.prefix + prefix)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(warehouse.Entry{}, failed(prefix, err))
				return
			}
			for _, o := range page.Contents {
				key := strings.TrimPrefix(aws.ToString(o.Key), s.prefix)
				info := warehouse.Info{Size: aws.ToInt64(o.Size), Tag: tag(o.ETag), Modified: aws.ToTime(o.LastModified).UnixNano()}
				if warehouse.CheckKey(key) == nil && !yield(warehouse.Entry{Key: key, Info: info}, nil) {
					return
				}
			}
		}
	}
}

// Create implements [warehouse.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	_, err := s.Stage(ctx, key, data)
	return err
}

// Stage implements [warehouse.Store].
func (s *Store) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	return s.put(ctx, key, data, aws.String("*"))
}

// Put implements [warehouse.Store].
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	_, err := s.put(ctx, key, data, nil)
	return err
}

func (s *Store) put(ctx context.Context, key string, data []byte, unless *string) (warehouse.Info, error) {
	if err := check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	made, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(s.prefix + key), Body: bytes.NewReader(data), IfNoneMatch: unless,
	})
	if err != nil {
		return warehouse.Info{}, failed(key, err)
	}
	return warehouse.Info{Size: int64(len(data)), Tag: tag(made.ETag)}, nil
}

// Delete implements [warehouse.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: aws.String(s.prefix + key)})
	return failed(key, err)
}

// check is the start of every call.
func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return warehouse.CheckKey(key)
}

// failed gives an error of the object store the store's own meaning.
func failed(key string, err error) error {
	if err == nil {
		return nil
	}
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) {
		switch answer.HTTPStatusCode() {
		case http.StatusNotFound:
			return fmt.Errorf("%w: %q", warehouse.ErrNotFound, key)
		case http.StatusPreconditionFailed:
			return fmt.Errorf("%w: %q", warehouse.ErrExists, key)
		}
	}
	return fmt.Errorf("%q: %w", key, err)
}

// tag is what tells versions of an object apart.
func tag(etag *string) uint64 {
	sum := fnv.New64a()
	io.WriteString(sum, aws.ToString(etag))
	return sum.Sum64()
}
