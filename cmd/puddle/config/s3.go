package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"puddle/internal/warehouse"
)

// S3 is how a warehouse reaches its object store.
type S3 struct {
	Service    Service
	Revalidate time.Duration // a cached document's object is looked at again at most this often
	Vended     Vended
}

// Service is an object store, and who asks.
type Service struct {
	Region          string
	Endpoint        string // a URL; empty: that of AWS
	PathStyle       bool
	AccessKeyID     string // with SecretAccessKey; without: the SDK's chain of credentials
	SecretAccessKey string
}

// What this build does not have yet of the block s3.
const laterSigning = `{enabled: false}`

func newS3() S3 {
	return S3{Revalidate: 30 * time.Second, Vended: Vended{Duration: time.Hour}}
}

func (d *decoder) s3(b *block, s *S3) {
	b.text("region", &s.Service.Region)
	b.text("endpoint", &s.Service.Endpoint)
	b.flag("path-style-access", &s.Service.PathStyle)
	b.text("access-key-id", &s.Service.AccessKeyID)
	b.text("secret-access-key", &s.Service.SecretAccessKey)
	b.period("revalidate", &s.Revalidate)
	b.later("remote-signing", laterSigning)
	d.vended(b.block("vended-credentials"), &s.Vended)
	b.end()
	if (s.Service.AccessKeyID == "") != (s.Service.SecretAccessKey == "") && d.sound(join(b.key, "access-key-id"), join(b.key, "secret-access-key")) {
		d.fail(b.key, "access-key-id and secret-access-key come together, or neither does")
	}
	d.endpoint(join(b.key, "endpoint"), s.Service.Endpoint)
}

// endpoint refuses what is no address of a server.
func (d *decoder) endpoint(key, endpoint string) {
	if endpoint == "" {
		return
	}
	if !strings.Contains(endpoint, "://") {
		d.fail(key, "must be a URL like https://s3.example.org: http:// or https:// is missing")
		d.unread(key)
		return
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		d.fail(key, "must be a URL like https://s3.example.org, and nothing behind it")
		d.unread(key)
	}
}

// anyRegion is that of stores that know no regions.
const anyRegion = "us-east-1"

// regions fills in what the blocks of object stores leave out: from the environment, where a
// cloud or an operator says it for all programs, or for a store that is not AWS's.
func (d *decoder) regions(c *Config) {
	one, _ := d.env("AWS_REGION")
	other, _ := d.env("AWS_DEFAULT_REGION")
	fill := func(s *S3, places ...Place) {
		if s.Service.Region != "" || !inStore(places) {
			return
		}
		s.Service.Region = cmp.Or(one, other)
		if s.Service.Region == "" && s.Service.Endpoint != "" {
			s.Service.Region = anyRegion
		}
	}
	for i := range c.Warehouses {
		fill(&c.Warehouses[i].S3, c.Warehouses[i].Places()...)
	}
	for i := range c.Externals {
		fill(&c.Externals[i].S3, c.Externals[i].Root)
	}
}

// reached checks how the places below a key are reached.
func (d *decoder) reached(key string, s S3, places ...Place) {
	block := join(key, "s3")
	unread := slices.ContainsFunc(places, func(p Place) bool { return p.Location.IsZero() })
	if !inStore(places) {
		if s != newS3() && !unread {
			d.fail(block, "has no use: no location here is in an object store (s3://bucket/prefix)")
		}
		return
	}
	if s.Service.Region == "" && d.sound(join(block, "region"), join(block, "endpoint")) {
		d.fail(join(block, "region"), "is missing, and so is AWS_REGION in the environment: that of the bucket, like eu-north-1")
	}
	d.assumed(join(block, "vended-credentials"), s)
	for _, place := range places {
		if !place.Location.IsZero() && !place.IsFolder() {
			d.bucket(block, s.Service, place)
		}
	}
}

// bucket refuses a bucket that cannot be, and an endpoint that is that of one bucket.
func (d *decoder) bucket(block string, s Service, place Place) {
	bucket, _ := place.Location.Bucket()
	older := s.PathStyle || !d.sound(join(block, "path-style-access"))
	if !warehouse.AWSBucket.Takes(bucket) && !(older && warehouse.OlderBucket.Takes(bucket)) {
		d.fail(block, "%s: a bucket's name is 3 to 63 of a-z, 0-9, dot and hyphen, beginning and ending with a letter or digit; with path-style-access: true also an older one", place.URL)
	}
	u, err := url.Parse(s.Endpoint)
	if err == nil && d.sound(join(block, "endpoint")) && (strings.HasPrefix(u.Host, bucket+".") || strings.Trim(u.Path, "/") == bucket) {
		d.fail(join(block, "endpoint"), "%s names the bucket %s, as the location does: leave it out here", s.Endpoint, bucket)
	}
}

// inStore tells whether one of some places is in an object store.
func inStore(places []Place) bool {
	for _, place := range places {
		if !place.Location.IsZero() && !place.IsFolder() {
			return true
		}
	}
	return false
}

// Exposed are the endpoints to which requests go over a network without TLS: its own, and
// that of STS.
func (s S3) Exposed() (endpoints []string) {
	all := []string{s.Service.Endpoint}
	if sts, _ := s.STS(); s.Vended.Enabled && sts != s.Service.Endpoint {
		all = append(all, sts)
	}
	for _, endpoint := range all {
		if u, err := url.Parse(endpoint); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
			endpoints = append(endpoints, endpoint)
		}
	}
	return endpoints
}
