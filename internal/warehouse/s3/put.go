package s3

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// writeID is the name of the metadata that tells one write from another:
// x-amz-meta-puddle-write.
const writeID = "puddle-write"

// Create implements [warehouse.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	_, err := s.Stage(ctx, key, data)
	return err
}

// Stage implements [warehouse.Store]. It is Create.
func (s *Store) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	if err := s.check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	in, tries := s.input(key, data), s.service.tries()
	in.IfNoneMatch = aws.String("*")
	for {
		made, err := s.put(ctx, tries, in, data)
		if status(err) != http.StatusPreconditionFailed {
			return made, tries.failed(key, err)
		}
		found, id, err := s.head(ctx, tries, key)
		switch {
		case err == nil && id == in.Metadata[writeID]: // the reply was lost, or it was delivered twice
			return found, nil
		case err == nil:
			return warehouse.Info{}, fmt.Errorf("%w: %q", warehouse.ErrExists, key)
		case !errors.Is(err, warehouse.ErrNotFound):
			return warehouse.Info{}, fmt.Errorf("%q is there, and whose it is cannot be asked: %v", key, err)
		case tries.over():
			return warehouse.Info{}, refusesDeleted(key, err)
		}
		if err := tries.pause(ctx, 0); err != nil {
			return warehouse.Info{}, fmt.Errorf("%q: %w", key, err)
		}
	}
}

// refusesDeleted is of a store that created nothing, since something was there, and each time
// said that nothing was. Some are so where the name was deleted in a bucket with versions.
func refusesDeleted(key string, gone error) error {
	why := "it comes and goes, or it was deleted and"
	if answer, ok := errors.AsType[*awshttp.ResponseError](gone); ok && answer.Response != nil && answer.Response.Header.Get("X-Amz-Delete-Marker") == "true" {
		why = "a delete marker stands there, and"
	}
	return fmt.Errorf("%q is refused as there (412) and then is not (404): %s the object store creates nothing over a deleted name (delete the marker)", key, why)
}

// Put implements [warehouse.Store].
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	if err := s.check(ctx, key); err != nil {
		return err
	}
	tries := s.service.tries()
	_, err := s.put(ctx, tries, s.input(key, data), data)
	return tries.failed(key, err)
}

// input is a put of some bytes with an id of its own. Its checksum is known before it is
// sent, so that no trailer is needed, which many stores do not know: those that know
// checksums verify and keep it, others take the header for nothing.
func (s *Store) input(key string, data []byte) *s3.PutObjectInput {
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
	return &s3.PutObjectInput{
		Bucket: &s.bucket, Key: s.object(key), ContentLength: aws.Int64(int64(len(data))),
		ChecksumCRC32: aws.String(base64.StdEncoding.EncodeToString(sum)),
		Metadata:      map[string]string{writeID: uuid.NewString()},
	}
}

// put sends a put until it is answered.
func (s *Store) put(ctx context.Context, tries *tries, in *s3.PutObjectInput, data []byte) (made warehouse.Info, err error) {
	err = tries.do(ctx, func(a attempt) error {
		sent := *in
		body := &lent{bytes: bytes.NewReader(data)}
		defer body.end()
		sent.Body = body
		out, err := s.service.client.PutObject(a, &sent)
		if err != nil {
			return err
		}
		made = info(in.ContentLength, out.ETag, nil)
		if out.ETag != nil {
			return nil
		}
		made, err = s.written(a, tries, in)
		return err
	})
	return made, err
}

// written looks whether a put was done whose answer has no ETag: something between may have
// answered in the place of the object store. If it was not, that it may be done again.
func (s *Store) written(a attempt, tries *tries, in *s3.PutObjectInput) (warehouse.Info, error) {
	tries.made++
	a.moved()
	out, err := s.service.client.HeadObject(a, &s3.HeadObjectInput{Bucket: in.Bucket, Key: in.Key})
	if err == nil && out.Metadata[writeID] == in.Metadata[writeID] {
		return info(out.ContentLength, out.ETag, out.LastModified), nil
	}
	return warehouse.Info{}, broken{errors.New("what answered a put is no object store: it told no ETag, and a look did not find what was put")}
}
