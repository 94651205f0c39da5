package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"puddle/internal/warehouse"
)

// Get implements [warehouse.Reader].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	data, _, err := s.Fetch(ctx, key, limit)
	return data, err
}

// Fetch implements [warehouse.Fetcher].
func (s *Store) Fetch(ctx context.Context, key string, limit int64) (data []byte, is warehouse.Info, err error) {
	if err := s.check(ctx, key); err != nil {
		return nil, is, err
	}
	err = s.service.tries().do(ctx, func(a attempt) error {
		found, err := s.get(a, key)
		if err != nil {
			return err
		}
		defer found.Body.Close()
		is = info(found.ContentLength, found.ETag, found.LastModified)
		if found.ContentLength != nil && *found.ContentLength > limit {
			return tooLarge(key, limit)
		}
		data, err = read(found.Body, found.ContentLength, limit)
		if int64(len(data)) > limit {
			return tooLarge(key, limit)
		}
		return err
	})
	if errors.Is(err, warehouse.ErrTooLarge) {
		return nil, is, err
	}
	is.Size = int64(len(data))
	return data, is, failed(key, err)
}

func tooLarge(key string, limit int64) error {
	return fmt.Errorf("%w: %q has more than the limit of %d bytes", warehouse.ErrTooLarge, key, limit)
}

func (s *Store) get(a attempt, key string) (*s3.GetObjectOutput, error) {
	found, err := s.service.client.GetObject(a, &s3.GetObjectInput{Bucket: &s.bucket, Key: s.object(key), ChecksumMode: types.ChecksumModeEnabled})
	if err != nil {
		return nil, err
	}
	if err := ofStore(found.ETag, found.LastModified); err != nil {
		_ = found.Body.Close() // its bytes are nobody's
		return nil, err
	}
	return found, nil
}

// ofStore refuses an answer about an object that tells neither its tag nor its time.
func ofStore(etag *string, modified *time.Time) error {
	if etag == nil && modified == nil {
		return noStore("an object: it told neither its tag nor its time")
	}
	return nil
}

// believed is up to which size memory is taken for a body because of what is said of it.
const believed = 1 << 20

// read reads a body to its end, or one byte more than the limit. The reader fails where
// the bytes are not those of the checksum.
func read(body io.Reader, told *int64, limit int64) ([]byte, error) {
	size := int64(512)
	if told != nil {
		size = min(*told, limit, believed) + 1 // so that the end is seen without growing
	}
	data := make([]byte, 0, max(size, 1))
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		room := cap(data)
		if int64(room-1) > limit {
			room = int(limit) + 1
		}
		n, err := body.Read(data[len(data):room])
		data = data[:len(data)+n]
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, broken{err}
		}
		if told != nil && int64(len(data)) != *told {
			return nil, broken{fmt.Errorf("%d bytes came of %d: %w", len(data), *told, io.ErrUnexpectedEOF)}
		}
		return data, nil
	}
	return data, nil
}

// Stat implements [warehouse.Reader].
func (s *Store) Stat(ctx context.Context, key string) (warehouse.Info, error) {
	if err := s.check(ctx, key); err != nil {
		return warehouse.Info{}, err
	}
	found, _, err := s.head(ctx, s.service.tries(), key)
	return found, err
}

// head asks for an object without its bytes, and for the id of the write that made it.
func (s *Store) head(ctx context.Context, tries *tries, key string) (found warehouse.Info, id string, err error) {
	err = tries.do(ctx, func(a attempt) error {
		out, err := s.service.client.HeadObject(a, &s3.HeadObjectInput{Bucket: &s.bucket, Key: s.object(key)})
		if err == nil {
			found, id = info(out.ContentLength, out.ETag, out.LastModified), out.Metadata[writeID]
			err = ofStore(out.ETag, out.LastModified)
		}
		return err
	})
	switch status(err) {
	case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest:
		return s.words(ctx, tries, key)
	}
	return found, id, failed(key, err)
}

// words asks why an object cannot be looked at: the answer to HEAD has no words for what is
// not there, the object or the bucket, or who is refused. It may have come meanwhile.
func (s *Store) words(ctx context.Context, tries *tries, key string) (found warehouse.Info, id string, err error) {
	err = tries.do(ctx, func(a attempt) error {
		out, err := s.get(a, key)
		if err != nil {
			return err
		}
		found, id = info(out.ContentLength, out.ETag, out.LastModified), out.Metadata[writeID]
		_ = out.Body.Close() // its bytes are nobody's
		return nil
	})
	return found, id, failed(key, err)
}
