package awsconfig

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"
)

// Load is a configuration of the SDK for a region and somebody with a key. Without a key it
// is as whom the SDK's chain says: the environment, ~/.aws, web identities, the identity of
// a container or a machine. Its HTTPClient is an [awshttp.BuildableClient].
func Load(ctx context.Context, region, keyID, secret string) (aws.Config, error) {
	client, err := client()
	if err != nil {
		return aws.Config{}, err
	}
	c := aws.Config{Region: region, HTTPClient: client, Logger: logging.Nop{}}
	if keyID != "" {
		c.Credentials = credentials.NewStaticCredentialsProvider(keyID, secret, "")
		return c, nil
	}
	found, err := config.LoadDefaultConfig(ctx, config.WithRegion(region), config.WithLogger(logging.Nop{}))
	if err != nil {
		return aws.Config{}, fmt.Errorf("credentials of the environment: %w", err)
	}
	c.Credentials = found.Credentials
	return c, nil
}

// client trusts whom the machine trusts, or whom AWS_CA_BUNDLE names.
func client() (*awshttp.BuildableClient, error) {
	plain := awshttp.NewBuildableClient()
	file := os.Getenv("AWS_CA_BUNDLE")
	if file == "" {
		return plain, nil
	}
	bundle, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("AWS_CA_BUNDLE: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(bundle) {
		return nil, fmt.Errorf("AWS_CA_BUNDLE: %s holds no certificate", file)
	}
	return plain.WithTransportOptions(func(t *http.Transport) {
		if t.TLSClientConfig == nil {
			t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		t.TLSClientConfig.RootCAs = authorities
	}), nil
}
