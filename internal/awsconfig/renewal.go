package awsconfig

import (
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// renewEvery is how often credentials are thrown away that may still be good, at most.
const renewEvery = 10 * time.Second

// Renewal has credentials that the SDK keeps until they end asked for anew where who is asked
// says that they are over before. Safe for concurrent use.
type Renewal struct {
	mu   sync.Mutex
	last time.Time // guarded by mu
}

// Renew has the next request use fresh credentials, unless these are of the last 10 seconds.
// A key that is configured stays.
func (r *Renewal) Renew(from aws.CredentialsProvider, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.last) < renewEvery {
		return
	}
	r.last = now
	if cache, ok := from.(*aws.CredentialsCache); ok {
		cache.Invalidate()
	}
}
