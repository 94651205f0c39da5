package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"puddle/internal/awsconfig"
	"puddle/internal/warehouse"
)

// speaker is a client of HTTP from that of the SDK's configuration.
type speaker func(from aws.HTTPClient, limits Limits) *http.Client

// withPool keeps as many connections as there may be requests in flight. It goes through
// the proxies that the environment names, and trusts whom the machine trusts, or whom
// AWS_CA_BUNDLE names.
func withPool(from aws.HTTPClient, limits Limits) *http.Client {
	client, ok := from.(*awshttp.BuildableClient)
	if !ok {
		client = awshttp.NewBuildableClient()
	}
	t := client.GetTransport()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = 0, limits.Parallel, limits.Parallel
	t.IdleConnTimeout = time.Minute
	return &http.Client{Transport: t, CheckRedirect: stay}
}

// stay follows no redirect: a signature is good for one host and one path, so that whoever
// follows asks another as nobody, and believes what that one answers.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// chain is where credentials come from. What the SDK keeps until it ends is asked for
// anew when the store says that it is over before.
type chain struct {
	from    aws.CredentialsProvider
	now     func() time.Time
	renewal awsconfig.Renewal
}

// noCredentials is why nothing could be asked: there is nobody to ask as.
type noCredentials struct{ error }

func (e noCredentials) Unwrap() []error { return []error{warehouse.ErrDenied, e.error} }

// Retrieve implements aws.CredentialsProvider.
func (c *chain) Retrieve(ctx context.Context) (aws.Credentials, error) {
	if c.from == nil {
		return aws.Credentials{}, noCredentials{errors.New("there are no credentials")}
	}
	found, err := c.from.Retrieve(ctx)
	if err != nil {
		return found, noCredentials{fmt.Errorf("no credentials: %w", err)}
	}
	return found, nil
}

// refresh has the next request use fresh credentials, unless these are.
func (c *chain) refresh() { c.renewal.Renew(c.from, c.now()) }
