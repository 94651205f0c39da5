package s3

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"puddle/internal/awsconfig"
	"puddle/internal/warehouse"
)

// Options say which object store it is, who asks, and how long it is asked.
type Options struct {
	Region          string
	Endpoint        string // a URL; empty: that of AWS
	PathStyle       bool   // the bucket is in the path of a URL, not in its host
	AccessKeyID     string // with SecretAccessKey; without: the SDK's chain of credentials
	SecretAccessKey string
	Limits          Limits
}

// Limits bound what a service asks for. What is zero is the default.
type Limits struct {
	Parallel int           // requests in flight at the same time, half of them in the background at most; default 64
	Tries    int           // of one request, the first one too; default 6
	Idle     time.Duration // how long a try may make no progress: no byte is taken or given; default 10 s
	LongIdle time.Duration // the same for a list and a delete of many, for which a store may look at much before its first byte; default 60 s
	Pause    time.Duration // before the second try; doubled each time up to 20 of it, and shortened at random; default 100 ms
}

func (l Limits) orDefault() Limits {
	return Limits{
		Parallel: cmp.Or(l.Parallel, 64), Tries: cmp.Or(l.Tries, 6),
		Idle: cmp.Or(l.Idle, 10*time.Second), LongIdle: cmp.Or(l.LongIdle, time.Minute), Pause: cmp.Or(l.Pause, 100*time.Millisecond),
	}
}

// Service is an object store. Safe for concurrent use.
type Service struct {
	client      *s3.Client
	credentials *chain
	limits      Limits
	http        *http.Client
	slots       slots // one for each request in flight
	background  slots // one for each of those that nobody waits for
	batchless   batchless
}

// New is the object store that options name. It asks nothing of it yet. Without keys, ctx
// bounds how long it is looked for where credentials come from.
func New(ctx context.Context, o Options) (*Service, error) { return open(ctx, o, withPool) }

func open(ctx context.Context, o Options, speaks speaker) (*Service, error) {
	limits := o.Limits.orDefault()
	c, err := awsconfig.Load(ctx, o.Region, o.AccessKeyID, o.SecretAccessKey)
	if err != nil {
		return nil, err
	}
	if c.Region == "" {
		if o.Endpoint == "" {
			return nil, errors.New("s3: no region is configured")
		}
		c.Region = "us-east-1" // what a store that knows no regions takes
	}
	who := &chain{from: c.Credentials, now: time.Now}
	web := speaks(c.HTTPClient, limits)
	client := s3.NewFromConfig(c, func(so *s3.Options) {
		so.UsePathStyle = o.PathStyle
		so.HTTPClient = watched{web}
		so.Credentials = who
		so.Retryer = aws.NopRetryer{} // see tries
		so.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		so.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported
		so.DisableLogOutputChecksumValidationSkipped = true
		if o.Endpoint != "" {
			so.BaseEndpoint = aws.String(o.Endpoint)
		}
	})
	return &Service{
		client: client, credentials: who, limits: limits, http: web,
		slots: make(slots, limits.Parallel), background: make(slots, max(1, limits.Parallel/2)),
	}, nil
}

// Close gives back the connections that nobody uses. It may be asked more afterwards.
func (s *Service) Close() error {
	s.http.CloseIdleConnections()
	return nil
}

// Store is the store below a location of the family s3.
func (s *Service) Store(at warehouse.Location) *Store {
	bucket, prefix := at.Bucket()
	return &Store{service: s, bucket: bucket, prefix: prefix}
}
