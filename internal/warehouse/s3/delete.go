package s3

import (
	"context"
	"errors"
	"net/http"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"puddle/internal/warehouse"
)

// Delete implements [warehouse.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.check(ctx, key); err != nil {
		return err
	}
	tries := s.service.tries()
	err := tries.do(ctx, func(a attempt) error {
		out, err := s.service.client.DeleteObject(a, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: s.object(key)})
		if err == nil && answeredBy(out.ResultMetadata) != http.StatusNoContent {
			err = s.deleted(a, tries, key)
		}
		return err
	})
	if errors.Is(meaning(err), warehouse.ErrNotFound) {
		return nil
	}
	return tries.failed(key, err)
}

// answeredBy is the status of an answer; 0: it is not known.
func answeredBy(m middleware.Metadata) int {
	if answer, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response); ok {
		return answer.StatusCode
	}
	return 0
}

// deleted looks whether a delete was done that was answered as few stores do: something
// between may have answered in the place of the object store. If it was not, that it may be
// done again.
func (s *Store) deleted(a attempt, tries *tries, key string) error {
	tries.made++
	a.moved()
	_, err := s.service.client.HeadObject(a, &s3.HeadObjectInput{Bucket: &s.bucket, Key: s.object(key)})
	switch {
	case status(err) == http.StatusNotFound:
		return nil
	case err != nil:
		return err
	}
	return noStore("a delete: it did not say that it has no more, and a look found it")
}
