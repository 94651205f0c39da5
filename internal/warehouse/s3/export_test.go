package s3

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// NewSpeaking is New with a client of HTTP and credentials of the test's own.
func NewSpeaking(ctx context.Context, o Options, client *http.Client, who aws.CredentialsProvider) (*Service, error) {
	s, err := open(ctx, o, func(aws.HTTPClient, Limits) *http.Client { return client })
	if err == nil && who != nil {
		s.credentials.from = who
	}
	return s, err
}

// ReadBody is read.
var ReadBody = read
