package s3

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"puddle/internal/warehouse"
)

// Store is a [warehouse.Store] below a prefix of a bucket. Safe for concurrent use.
type Store struct {
	service *Service
	bucket  string
	prefix  string // empty, or ends in a slash
}

var (
	_ warehouse.Store   = (*Store)(nil)
	_ warehouse.Batches = (*Store)(nil)
	_ warehouse.Fetcher = (*Store)(nil)
)

// check is the start of every call. The limit of a key is that of the object's whole name,
// and so is the text of it.
func (s *Store) check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := warehouse.CheckKey(key); err != nil {
		return err
	}
	if name := *s.object(key); warehouse.BeyondXML(name) {
		return fmt.Errorf("%w: %q is the object %q, which requests and answers in XML cannot name", warehouse.ErrInvalidKey, key, name)
	}
	if n := len(s.prefix) + len(key); n > warehouse.MaxKey {
		return fmt.Errorf("%w: %q has %d bytes with the %q before it, the limit is %d", warehouse.ErrInvalidKey, key, n, s.prefix, warehouse.MaxKey)
	}
	return nil
}

// object is the name of a key in the bucket.
func (s *Store) object(key string) *string { return aws.String(s.prefix + key) }

// info is what an answer tells of an object.
func info(size *int64, etag *string, modified *time.Time) warehouse.Info {
	i := warehouse.Info{Size: aws.ToInt64(size), Tag: tag(etag)}
	if modified != nil {
		i.Modified = modified.UnixNano()
	}
	return i
}

// tag is what tells versions of an object apart, quoted or not.
func tag(etag *string) uint64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, strings.Trim(aws.ToString(etag), `"`))
	return sum.Sum64()
}
