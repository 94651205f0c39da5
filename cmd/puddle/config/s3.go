package config

import (
	"net/url"
	"time"
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

// Vended is how credentials are made that reach one table only.
type Vended struct {
	Enabled       bool
	RoleARN       string
	Duration      time.Duration
	Endpoint      string // of STS; empty: Service.Endpoint, else that of AWS
	Region        string // of STS; empty: Service.Region
	ExternalID    string
	ReadTemplate  string // of a policy, for package text/template; empty: the built-in one
	WriteTemplate string
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
	if (s.Service.AccessKeyID == "") != (s.Service.SecretAccessKey == "") {
		d.fail(b.key, "access-key-id and secret-access-key come together, or neither does")
	}
	d.endpoint(join(b.key, "endpoint"), s.Service.Endpoint)
}

func (d *decoder) vended(b *block, v *Vended) {
	seconds := int64(v.Duration / time.Second)
	b.flag("enabled", &v.Enabled)
	b.text("role-arn", &v.RoleARN)
	b.size("duration-seconds", 12*60*60, &seconds)
	b.text("sts-endpoint", &v.Endpoint)
	b.text("sts-region", &v.Region)
	b.text("external-id", &v.ExternalID)
	b.text("read-policy-template", &v.ReadTemplate)
	b.text("write-policy-template", &v.WriteTemplate)
	b.end()
	v.Duration = time.Duration(seconds) * time.Second
	d.endpoint(join(b.key, "sts-endpoint"), v.Endpoint)
}

// endpoint refuses what is no address of a server.
func (d *decoder) endpoint(key, endpoint string) {
	if endpoint == "" {
		return
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		d.fail(key, "must be a URL like https://s3.example.org, and nothing behind it")
	}
}
