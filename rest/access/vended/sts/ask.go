package sts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"puddle/internal/awsconfig"
)

// mostWords is how long an answer may be, which has a few kilobytes.
const mostWords = 1 << 20

// listener is a client of HTTP whose answers have an end.
type listener struct{ aws.HTTPClient }

// Do implements aws.HTTPClient.
func (l listener) Do(r *http.Request) (*http.Response, error) {
	answer, err := l.HTTPClient.Do(r)
	if err == nil {
		answer.Body = awsconfig.Bounded(answer.Body, mostWords)
	}
	return answer, err
}

// atOnce is how many ask at the same moment: each holds a connection for as long as STS takes.
const atOnce = 64

// ask asks for a session when there is room for it, and once more where the credentials of
// who asks are over, or what answered is no STS.
func (s *Service) ask(ctx context.Context, in *sts.AssumeRoleInput) (*sts.AssumeRoleOutput, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%d others are asking already: %w", atOnce, ctx.Err())
	}
	made, err := s.client.AssumeRole(ctx, in)
	switch {
	case expired(err):
		s.renewal.Renew(s.who, time.Now())
	case !strange(made, err):
		return made, err
	}
	return s.client.AssumeRole(ctx, in)
}

// strange tells of an answer that is none of STS, but of something between.
func strange(made *sts.AssumeRoleOutput, err error) bool {
	if err == nil {
		return made.Credentials == nil
	}
	answer, ok := errors.AsType[*awshttp.ResponseError](err)
	return ok && answer.HTTPStatusCode() == http.StatusOK && errors.As(err, new(*smithy.DeserializationError)) && !errors.Is(err, awsconfig.ErrEndless)
}

// expired tells whether fresh credentials may help.
func expired(err error) bool {
	var told smithy.APIError
	if !errors.As(err, &told) {
		return false
	}
	switch told.ErrorCode() {
	case "ExpiredToken", "ExpiredTokenException", "RequestExpired", "InvalidClientTokenId":
		return true
	}
	return false
}
