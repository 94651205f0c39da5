package sts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"puddle/internal/awsconfig"
	"puddle/rest/access/vended"
)

// AnyRole is a role for object stores that take any.
const AnyRole = "arn:aws:iam::000000000000:role/any"

// Bounds of an answer. A try that takes long is given up, so that the next one may meet
// a better server before clients stop waiting.
const (
	tries    = 3
	tryTime  = 5 * time.Second
	fullTime = 12 * time.Second
)

// Options say where STS is, who asks, and for which role.
type Options struct {
	Region          string
	Endpoint        string // a URL; empty: that of AWS in the region
	AccessKeyID     string // with SecretAccessKey; without: the SDK's chain of credentials
	SecretAccessKey string
	RoleARN         string // empty: AnyRole
	ExternalID      string // may be empty
	Life            time.Duration
}

// Service is a [vended.Issuer]. Safe for concurrent use.
type Service struct {
	client  *sts.Client
	who     aws.CredentialsProvider
	renewal awsconfig.Renewal
	role    string
	extern  *string
	life    int32
	slots   chan struct{} // one for each who asks
}

var _ vended.Issuer = (*Service)(nil)

// New is the service that options name. It asks nothing of it yet.
func New(ctx context.Context, o Options) (*Service, error) {
	region := o.Region
	if region == "" && o.Endpoint != "" {
		region = "us-east-1" // what a service that knows no regions takes
	}
	c, err := awsconfig.Load(ctx, region, o.AccessKeyID, o.SecretAccessKey)
	if err != nil {
		return nil, err
	}
	if c.Region == "" {
		return nil, errors.New("sts: no region is configured")
	}
	s := &Service{who: c.Credentials, role: cmp.Or(o.RoleARN, AnyRole), life: int32(o.Life / time.Second), slots: make(chan struct{}, atOnce)}
	if o.ExternalID != "" {
		s.extern = aws.String(o.ExternalID)
	}
	s.client = sts.NewFromConfig(c, func(so *sts.Options) {
		so.Retryer = retry.NewStandard(func(ro *retry.StandardOptions) { ro.MaxAttempts, ro.MaxBackoff = tries, time.Second })
		if plain, ok := c.HTTPClient.(*awshttp.BuildableClient); ok {
			so.HTTPClient = listener{plain.WithTimeout(tryTime)}
		}
		if o.Endpoint != "" {
			so.BaseEndpoint = aws.String(o.Endpoint)
		}
	})
	return s, nil
}

// Issue implements [vended.Issuer]. It takes 12 seconds at most.
func (s *Service) Issue(ctx context.Context, session, policy string) (vended.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, fullTime)
	defer cancel()
	made, err := s.ask(ctx, &sts.AssumeRoleInput{
		RoleArn: &s.role, RoleSessionName: &session, Policy: &policy, DurationSeconds: &s.life, ExternalId: s.extern,
	})
	if err != nil {
		return vended.Credentials{}, told(err)
	}
	if made.Credentials == nil {
		return vended.Credentials{}, errors.New("sts: AssumeRole answered no credentials")
	}
	answered, _ := awsmiddleware.GetServerTime(made.ResultMetadata)
	return vended.Credentials{
		AccessKeyID: aws.ToString(made.Credentials.AccessKeyId), SecretAccessKey: aws.ToString(made.Credentials.SecretAccessKey),
		SessionToken: aws.ToString(made.Credentials.SessionToken), Expires: aws.ToTime(made.Credentials.Expiration), Answered: answered,
	}, nil
}

// Error is what STS answered instead of credentials. It holds nothing that was signed.
type Error struct {
	Code   string // as STS names it, such as AccessDenied
	Status int    // of HTTP
	text   string
}

// Error implements error.
func (e *Error) Error() string { return e.text }

// told is an error without what may be secret in it: the text of a refused signature
// goes on with the request that was signed, of which the first line says nothing.
func told(err error) error {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return fmt.Errorf("sts: AssumeRole: %w", err)
	}
	status, id := http.StatusOK, ""
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status, id = answer.HTTPStatusCode(), answer.ServiceRequestID()
	}
	first, _, _ := strings.Cut(api.ErrorMessage(), "\n")
	const most = 300
	text := fmt.Sprintf("sts: AssumeRole: %s (status %d, request %q): %.*s", api.ErrorCode(), status, id, most, first)
	return &Error{Code: api.ErrorCode(), Status: status, text: text}
}
