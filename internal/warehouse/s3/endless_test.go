package s3

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Pages without an object, each with a way to the next, are given up on; one with an object
// begins the count anew.
func TestEmptyPagesForEver(t *testing.T) {
	var l lister
	for i := range 3 * emptiness {
		page := &s3.ListObjectsV2Output{IsTruncated: aws.Bool(true), NextContinuationToken: aws.String(strconv.Itoa(i))}
		if i == emptiness-2 {
			page.Contents = []types.Object{{}}
		}
		if _, err := l.turn(page); err != nil {
			if !errors.Is(err, errList) || i != 2*emptiness-2 {
				t.Errorf("page %d: %v", i, err)
			}
			return
		}
	}
	t.Error("it runs on")
}

// There are as many connections as requests may be in flight, and they are kept.
func TestPool(t *testing.T) {
	pool, ok := withPool(nil, Limits{Parallel: 7}).Transport.(*http.Transport)
	if !ok || pool.MaxConnsPerHost != 7 || pool.MaxIdleConnsPerHost != 7 || pool.MaxIdleConns != 0 || pool.Proxy == nil {
		t.Errorf("%d connections, %d kept", pool.MaxConnsPerHost, pool.MaxIdleConnsPerHost)
	}
}
