package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"puddle/internal/warehouse"
)

// Options say which object store it is, and who asks.
type Options struct {
	Region          string
	Endpoint        string // a URL; empty: that of AWS
	PathStyle       bool   // the bucket is in the path of a URL, not in its host
	AccessKeyID     string // with SecretAccessKey; without: the SDK's chain of credentials
	SecretAccessKey string
}

// Service is an object store. Safe for concurrent use.
type Service struct {
	client *s3.Client
}

// New is the object store that options name. It asks nothing of it yet.
func New(ctx context.Context, o Options) (*Service, error) {
	load := []func(*awsconfig.LoadOptions) error{awsconfig.WithRegion(o.Region)}
	if o.AccessKeyID != "" {
		load = append(load, awsconfig.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(o.AccessKeyID, o.SecretAccessKey, "")))
	}
	c, err := awsconfig.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, err
	}
	return &Service{s3.NewFromConfig(c, func(so *s3.Options) {
		so.UsePathStyle = o.PathStyle
		if o.Endpoint != "" {
			so.BaseEndpoint = aws.String(o.Endpoint)
		}
	})}, nil
}

// Store is the store below a location of the family s3.
func (s *Service) Store(at warehouse.Location) *Store {
	bucket, prefix := at.Bucket()
	return &Store{client: s.client, bucket: bucket, prefix: prefix}
}
