package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"puddle/internal/warehouse"
)

// batchSize is how many objects S3 deletes by one request.
const batchSize = 1000

// batchless remembers of an object store that it cannot delete many objects at once.
type batchless struct{ atomic.Bool }

// DeleteAll implements [warehouse.Batches]. An object store that cannot is asked for one
// after the other, several at a time.
func (s *Store) DeleteAll(ctx context.Context, keys []string) []error {
	errs := make([]error, len(keys))
	var asked []int // keys that can be
	for i, key := range keys {
		if errs[i] = s.check(ctx, key); errs[i] == nil {
			asked = append(asked, i)
		}
	}
	for batch := range slices.Chunk(asked, batchSize) {
		left := batch
		if !s.service.batchless.Load() {
			left = s.deleteBatch(ctx, keys, batch, errs)
		}
		each(left, func(i int) { errs[i] = s.Delete(ctx, keys[i]) })
	}
	return errs
}

// singles is how many requests of one batch are made at the same time that are for one key.
const singles = 16

// each does something for each of some keys.
func each(keys []int, do func(i int)) {
	slots := make(chan struct{}, singles)
	var workers sync.WaitGroup
	for _, i := range keys {
		slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	workers.Wait()
}

// deleteBatch deletes some of keys by one request, and puts down what became of them. It
// answers those that are to be deleted one by one: nothing was said of them, or what was
// said may be otherwise by another try.
func (s *Store) deleteBatch(ctx context.Context, keys []string, batch []int, errs []error) (left []int) {
	out, tries, err := s.askDelete(ctx, keys, batch)
	switch {
	case err != nil && s.service.batchless.learn(err):
		return batch
	case err != nil:
		for _, i := range batch {
			errs[i] = tries.failed(keys[i], err)
		}
		return nil
	}
	told := make(map[string]error, len(batch))
	for _, gone := range out.Deleted {
		told[aws.ToString(gone.Key)] = nil
	}
	for _, e := range out.Errors {
		told[aws.ToString(e.Key)] = &smithy.GenericAPIError{Code: aws.ToString(e.Code), Message: aws.ToString(e.Message)}
	}
	for _, i := range batch {
		err, said := told[*s.object(keys[i])]
		switch {
		case !said, err != nil && passing(err):
			left = append(left, i)
		case errors.Is(meaning(err), warehouse.ErrNotFound):
		default:
			errs[i] = tries.failed(keys[i], err)
		}
	}
	return left
}

// askDelete makes the request.
func (s *Store) askDelete(ctx context.Context, keys []string, batch []int) (out *s3.DeleteObjectsOutput, t *tries, err error) {
	in := &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{}}
	for _, i := range batch {
		in.Delete.Objects = append(in.Delete.Objects, types.ObjectIdentifier{Key: s.object(keys[i])})
	}
	t = s.service.longTries()
	err = t.do(ctx, func(a attempt) error {
		out, err = s.service.client.DeleteObjects(a, in, withMD5)
		return err
	})
	return out, t, err
}

// learn tells whether an error means that a batch is to be deleted one by one, and
// remembers when that will always be so.
func (b *batchless) learn(err error) bool {
	switch word, answered := code(err), status(err); {
	case answered == http.StatusNotImplemented, answered == http.StatusMethodNotAllowed, word == "NotImplemented", word == "MethodNotAllowed":
		b.Store(true)
		return true
	case answered == http.StatusBadRequest && !overs[word]: // MalformedXML, say
		return true
	case answered == http.StatusNotFound && !errors.Is(meaning(err), warehouse.ErrNoBucket): // it takes the request for another
		return true
	}
	return false
}

// withMD5 has a request carry the digest that S3 has always asked of this one, in place of
// a checksum that not every object store takes for it.
func withMD5(o *s3.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		for _, remove := range []func(string) (any, error){
			func(id string) (any, error) { return stack.Initialize.Remove(id) },
			func(id string) (any, error) { return stack.Build.Remove(id) },
			func(id string) (any, error) { return stack.Finalize.Remove(id) },
		} {
			for _, id := range []string{"AWSChecksum:SetupInputContext", "AWSChecksum:RequestMetricsTracking", "AWSChecksum:ComputeInputPayloadChecksum"} {
				_, _ = remove(id) // where it is not there, nothing is to be removed
			}
		}
		if err := smithyhttp.AddContentChecksumMiddleware(stack); err != nil {
			return fmt.Errorf("digest of a batch: %w", err)
		}
		return nil
	})
}
