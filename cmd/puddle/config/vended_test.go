package config

import (
	"strings"
	"testing"
	"time"
)

// vending is a configuration of a warehouse with vended credentials.
func vending(service, keys string) string {
	return bucketed("s3://lake/wh", "region: eu-north-1, "+service+"vended-credentials: {enabled: true, "+keys+"}")
}

const role = "role-arn: 'arn:aws:iam::123456789012:role/lake', "

func TestVendedCredentials(t *testing.T) {
	for file, want := range map[string]struct {
		endpoint, region string
		life             time.Duration
	}{
		vending("", role): {"", "eu-north-1", time.Hour},
		vending("", role+"duration-seconds: 900, sts-endpoint: 'https://sts.example.org', sts-region: eu-west-1, external-id: x"): {
			"https://sts.example.org", "eu-west-1", 15 * time.Minute,
		},
		vending("endpoint: 'http://minio:9000', path-style-access: true, ", "duration-seconds: 43200"):                               {"http://minio:9000", "eu-north-1", 12 * time.Hour},
		vending("endpoint: 'http://minio:9000', ", "sts-endpoint: 'http://sts'"):                                                     {"http://sts", "eu-north-1", time.Hour},
		vending("", `role-arn: 'arn:aws-cn:iam::1:role/x/y', read-policy-template: '{"Resource": {{json .Objects}}, "a": "$${*}"}'`): {"", "eu-north-1", time.Hour},
		vending("", "role-arn: 'arn:aws:iam:::role/ceph'"):                                                                           {"", "eu-north-1", time.Hour},
	} {
		c, err := parse("c", []byte(file), environment())
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		s := c.Warehouses[0].S3
		if endpoint, region := s.STS(); !s.Vended.Enabled || endpoint != want.endpoint || region != want.region || s.Vended.Duration != want.life {
			t.Errorf("%s: %+v", file, s)
		}
	}
}

func TestVendedCredentialsThatCannotBe(t *testing.T) {
	const at = "c:4: warehouses.a.s3.vended-credentials."
	for file, want := range map[string]string{
		vending("", ""):                                                                   at + "role-arn: is missing",
		vending("", "role-arn: lake"):                                                     at + "role-arn: must be a role like",
		vending("", "role-arn: 'arn:aws:s3:::lake'"):                                      at + "role-arn: must be a role like",
		vending("", role+"duration-seconds: 899"):                                         at + "duration-seconds: must be 900 to 43200",
		vending("", role+"duration-seconds: 43201"):                                       at + "duration-seconds: must be",
		vending("", role+"sts-endpoint: 'sts:9000'"):                                      at + "sts-endpoint: must be a URL like https://s3.example.org: http:// or https:// is missing",
		vending("", role+"sts-endpoint: sts"):                                             at + "sts-endpoint: must be a URL",
		vending("", role+"write-policy-template: '{'"):                                    at + "write-policy-template: what the template makes is no JSON",
		vending("", role+`read-policy-template: '{"a": "{{(index .Places 0).Prefix}}"}'`): at + "read-policy-template: what the template makes is no JSON",
		vending("", role+`read-policy-template: '{"a": {{.Bucket}}}'`):                    at + "read-policy-template: template: policy:1",
		vending("", role+"read-policy-templates: x"):                                      at + "read-policy-templates: unknown key",
	} {
		_, err := parse("c", []byte(file), environment())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", file, err)
		}
	}
}
