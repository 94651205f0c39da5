package s3

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"puddle/internal/warehouse"
)

// Delete implements [warehouse.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.check(ctx, key); err != nil {
		return err
	}
	tries := s.service.tries()
	err := tries.do(ctx, func(a attempt) error {
		_, err := s.service.client.DeleteObject(a, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: s.object(key)})
		return err
	})
	if errors.Is(meaning(err), warehouse.ErrNotFound) {
		return nil
	}
	return tries.failed(key, err)
}
