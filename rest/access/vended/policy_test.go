package vended

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func policyFor(t *testing.T, p *Policy, places ...Place) string {
	t.Helper()
	text, err := p.For("aws", places...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestPolicies(t *testing.T) {
	place := Place{"lake", "wh/t/"}
	const lists = `{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::lake"],"Condition":{"StringLike":{"s3:prefix":["wh/t/*"]}}},` +
		`{"Effect":"Allow","Action":["s3:GetBucketLocation"],"Resource":["arn:aws:s3:::lake"]},` +
		`{"Effect":"Deny","Action":["s3:*"],"Resource":["arn:aws:s3:::lake/_puddle/*","arn:aws:s3:::lake/*/_puddle/*"]}]}`
	for _, c := range []struct {
		policy *Policy
		want   string
	}{
		{ReadPolicy(), `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::lake/wh/t/*"]},` + lists},
		{WritePolicy(), `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","s3:DeleteObject",` +
			`"s3:AbortMultipartUpload","s3:ListMultipartUploadParts"],"Resource":["arn:aws:s3:::lake/wh/t/*"]},` + lists},
	} {
		if diff := cmp.Diff(c.want, policyFor(t, c.policy, place)); diff != "" {
			t.Error(diff)
		}
	}
	text, err := ReadPolicy().For("aws-cn", place, Place{"lake", "data/t/"}, Place{"other", "t/"})
	if err != nil || strings.Count(text, "s3:ListBucket") != 2 || !strings.Contains(text, `"s3:prefix":["wh/t/*","data/t/*"]`) || strings.Contains(text, "arn:aws:") {
		t.Error(text, err)
	}
}

// Case 143: what means more than itself in a policy never gets into one.
func TestCase143_PlacesThatNoPolicyNames(t *testing.T) {
	for _, place := range []Place{
		{"lake", "wh/*.*/"}, {"lake", "wh/t?/"}, {"lake", "wh/${aws:username}/"}, {"lake", ""}, {"lake", "/"}, {"lake", "wh/t"},
		{"la*ke", "wh/t/"}, {"", "wh/t/"}, {"lake/wh", "t/"}, {"lake", "wh/\xff/"}, {"lake", "_puddle/"}, {"lake", "wh/_puddle/t/"},
	} {
		for _, p := range []*Policy{ReadPolicy(), WritePolicy()} {
			if text, err := p.For("aws", Place{"lake", "good/"}, place); !errors.Is(err, ErrUnfit) || text != "" {
				t.Errorf("%q: %s, %v", place, text, err)
			}
		}
	}
	if _, err := ReadPolicy().For("aws"); !errors.Is(err, ErrUnfit) {
		t.Error(err)
	}
}

// Too many places are an error, never a wider policy.
func TestPolicyThatIsTooLong(t *testing.T) {
	var places []Place
	for _, c := range "abcdefgh" {
		places = append(places, Place{"lake", strings.Repeat(string(c), 150) + "/"})
	}
	_, err := WritePolicy().For("aws", places...)
	if !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), "the limit is 2048") || !strings.Contains(err.Error(), "8 locations") {
		t.Error(err)
	}
}

// Whatever a place is called, a policy is ASCII, is JSON, and names it literally: with
// the one star that ends it, and nothing that begins a variable.
func TestLawPolicyNamesThePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := Place{"lake", rapid.StringMatching(`[a-z"\\/*?${}<&' é世\x{1F600}]{1,12}`).Draw(t, "prefix") + "/"}
		text, err := WritePolicy().For("aws", place)
		if errors.Is(err, ErrUnfit) {
			return
		}
		if err != nil || regexp.MustCompile(`[^\x20-\x7e]`).MatchString(text) {
			t.Fatal(text, err)
		}
		var d document
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		want := []string{"arn:aws:s3:::lake/" + place.Prefix + "*"}
		if diff := cmp.Diff(want, d.Statement[0].Resource); diff != "" {
			t.Fatal(diff)
		}
		if strings.ContainsAny(place.Prefix, "*?") || strings.Contains(place.Prefix, "${") {
			t.Fatalf("%q is taken for what it is", place.Prefix)
		}
	})
}

func TestTemplates(t *testing.T) {
	const whole = `{"Version": "2012-10-17", "Statement": [
		{"Effect": "Allow", "Action": "s3:GetObject*", "Resource": {{json .Objects}}},
		{{range .Buckets}}{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": {{json .ARN}},
			"Condition": {"StringLike": {"s3:prefix": {{json .Prefixes}}}}},{{end}}
		{"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "arn:{{.Partition}}:kms:*:*:key/1"}]}`
	p, err := ParsePolicy(whole)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:GetObject*","Resource":["arn:aws:s3:::lake/w/\"t\"/*"]},` +
		`{"Effect":"Allow","Action":"s3:ListBucket","Resource":"arn:aws:s3:::lake","Condition":{"StringLike":{"s3:prefix":["w/\"t\"/*"]}}},` +
		`{"Effect":"Allow","Action":"kms:Decrypt","Resource":"arn:aws:kms:*:*:key/1"}]}`
	if diff := cmp.Diff(want, policyFor(t, p, Place{"lake", `w/"t"/`})); diff != "" {
		t.Error(diff)
	}
	if _, err := p.For("aws", Place{"lake", "*/"}); !errors.Is(err, ErrUnfit) {
		t.Error(err)
	}
	for text, why := range map[string]string{
		`{"a": {{.Objects}`:                     "bad character",
		`{"a": {{.Nothing}}}`:                   "Nothing",
		`{"a": {{json .Objects}}`:               "no JSON",
		`{{json .Objects}}`:                     "no object",
		``:                                      "no JSON",
		`{"a": "{{(index .Places 0).Prefix}}"}`: "no JSON", // a name that is not encoded
		`{"a": {{json .Objects}}, "b": {{.Bucket}}`: "Bucket",
	} {
		if _, err := ParsePolicy(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", text, err, why)
		}
	}
}

func TestPartition(t *testing.T) {
	for role, want := range map[string]string{
		"arn:aws:iam::123456789012:role/r": "aws", "arn:aws-cn:iam::1:role/r": "aws-cn", "arn:aws-us-gov:iam::1:role/r": "aws-us-gov",
		"arn:minio:iam:::role/r": "aws", "": "aws",
	} {
		if got := Partition(role); got != want {
			t.Errorf("%s: %s", role, got)
		}
	}
}

// The names of sessions are those of their actors where they can be, and differ where the
// actors do.
func TestSessions(t *testing.T) {
	const id = "0193a2c4-0000-7000-8000-000000000001"
	seen := map[string]string{}
	for actor, want := range map[string]string{
		"token:etl": "token-etl@" + id, "anonymous": "anonymous@" + id, "": "@" + id, "cli:é b": "cli:--b-", "cli:è b": "cli---b-",
		"token:a:b": "token-a-b-", "token:a-b": "token-a-b@" + id,
		strings.Repeat("x", 100): strings.Repeat("x", 18) + "-", strings.Repeat("x", 99) + "y": strings.Repeat("x", 18) + "-",
	} {
		name := Session{actor, id}.Name()
		if !strings.HasPrefix(name, strings.Replace(want, ":", "-", 1)) || !strings.HasSuffix(name, "@"+id) || len(name) > 64 || !regexp.MustCompile(`^[\w+=,.@-]+$`).MatchString(name) {
			t.Errorf("%s: %s", actor, name)
		}
		if other, is := seen[name]; is {
			t.Errorf("%s and %s are both %s", actor, other, name)
		}
		seen[name] = actor
	}
}
