package config

import (
	"cmp"
	"math"
	"regexp"
	"time"

	"puddle/rest/access/vended"
)

// Bounds of a session's life (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html).
const (
	minSession = 15 * time.Minute
	maxSession = 12 * time.Hour
)

// roleARN is a role of AWS, or of those who name theirs as it does.
var roleARN = regexp.MustCompile(`^arn:[a-z0-9-]+:iam::[^:]*:role/.+$`)

// Vended is how credentials are made that reach one table only.
type Vended struct {
	Enabled       bool
	RoleARN       string // may be empty where S3.STS has an endpoint, whose roles are any
	Duration      time.Duration
	Endpoint      string // of STS; empty: Service.Endpoint, else that of AWS
	Region        string // of STS; empty: Service.Region
	ExternalID    string
	ReadTemplate  string // of a policy, for vended.ParsePolicy; empty: the built-in one
	WriteTemplate string
}

// STS is where credentials are made: the endpoint, empty for that of AWS, and the region.
func (s S3) STS() (endpoint, region string) {
	return cmp.Or(s.Vended.Endpoint, s.Service.Endpoint), cmp.Or(s.Vended.Region, s.Service.Region)
}

func (d *decoder) vended(b *block, v *Vended) {
	seconds := int64(v.Duration / time.Second)
	b.flag("enabled", &v.Enabled)
	b.text("role-arn", &v.RoleARN)
	b.size("duration-seconds", math.MaxInt32, &seconds)
	b.text("sts-endpoint", &v.Endpoint)
	b.text("sts-region", &v.Region)
	b.text("external-id", &v.ExternalID)
	b.text("read-policy-template", &v.ReadTemplate)
	b.text("write-policy-template", &v.WriteTemplate)
	b.end()
	v.Duration = time.Duration(seconds) * time.Second
	if v.Duration < minSession || v.Duration > maxSession {
		d.fail(join(b.key, "duration-seconds"), "must be %d to %d", minSession/time.Second, maxSession/time.Second)
	}
	d.endpoint(join(b.key, "sts-endpoint"), v.Endpoint)
	d.policy(join(b.key, "read-policy-template"), v.ReadTemplate)
	d.policy(join(b.key, "write-policy-template"), v.WriteTemplate)
}

// assumed checks that there is a role to assume.
func (d *decoder) assumed(key string, s S3) {
	endpoint, _ := s.STS()
	switch role := s.Vended.RoleARN; {
	case !s.Vended.Enabled:
	case role == "" && !d.sound(join(key, "role-arn"), join(key, "sts-endpoint"), join(above(key), "endpoint")):
	case role == "" && endpoint == "":
		d.fail(join(key, "role-arn"), "is missing: the role of AWS whose rights are the most that any table's credentials have")
	case role != "" && !roleARN.MatchString(role):
		d.fail(join(key, "role-arn"), "must be a role like arn:aws:iam::123456789012:role/lake")
	}
}

// policy tries a template.
func (d *decoder) policy(key, template string) {
	if template == "" {
		return
	}
	if _, err := vended.ParsePolicy(template); err != nil {
		d.fail(key, "%v", err)
	}
}
