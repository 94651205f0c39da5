package s3test

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		variables     bool
		want          bool
	}{
		{"arn:aws:s3:::b/wh/a/*", "arn:aws:s3:::b/wh/a/data/x.parquet", true, true},
		{"arn:aws:s3:::b/wh/a/*", "arn:aws:s3:::b/wh/a2/x", true, false},
		{"arn:aws:s3:::b/wh/a/*", "arn:aws:s3:::b/wh/a", true, false},
		{"arn:aws:s3:::b/wh/a/*", "arn:aws:s3:::b/wh/a/", true, true},
		{"a?c", "abc", true, true},
		{"a?c", "aéc", true, true},
		{"a?c", "ac", true, false},
		{"a*b*c", "axxbyybzzc", true, true},
		{"a*b*c", "axxbyybzzcd", true, false},
		{"*", "", true, true},
		{"a${*}c", "a*c", true, true},
		{"a${*}c", "abc", true, false},
		{"a${?}", "a?", true, true},
		{"a${$}{x}", "a${x}", true, true},
		{"a${aws:username}", "a", true, false},
		{"a${", "a${", true, false},
		{"a$b", "a$b", true, true},
		{"a${*}c", "a${bb}c", false, true},
		{"A", "a", true, false},
	} {
		if got := matches(c.pattern, c.text, c.variables); got != c.want {
			t.Errorf("%q fits %q: %v", c.pattern, c.text, got)
		}
	}
	if !equal("a*", "a*", true) || equal("a*", "ab", true) || !equal("a${*}", "a*", true) {
		t.Error("a wildcard is a wildcard where values are equal")
	}
	if matches(strings.Repeat("a*", 200)+"b", strings.Repeat("a", 5000), true) {
		t.Error("there is no b")
	}
}

const tablePolicy = `{"Version":"2012-10-17","Statement":[
	{"Effect":"Allow","Action":["s3:GetObject*","s3:PutObject","s3:DeleteObject","s3:AbortMultipartUpload"],"Resource":"arn:aws:s3:::b/wh/a/*"},
	{"Effect":"Allow","Action":"s3:ListBucket","Resource":["arn:aws:s3:::b"],"Condition":{"StringLike":{"s3:prefix":["wh/a/*"]}}},
	{"Effect":"Allow","Action":"s3:GetBucketLocation","Resource":"arn:aws:s3:::b"},
	{"Effect":"Deny","Action":"s3:*","Resource":"arn:aws:s3:::b/wh/a/secret/*"}]}`

func TestPolicyAllows(t *testing.T) {
	p, err := parsePolicy(tablePolicy)
	if err != nil {
		t.Fatal(err)
	}
	prefix := func(s string) *string { return &s }
	for _, c := range []struct {
		d    demand
		want bool
	}{
		{demand{action: "s3:GetObject", resource: "arn:aws:s3:::b/wh/a/x"}, true},
		{demand{action: "s3:GetObjectVersion", resource: "arn:aws:s3:::b/wh/a/x"}, true},
		{demand{action: "s3:GetObject", resource: "arn:aws:s3:::b/wh/a2/x"}, false},
		{demand{action: "s3:GetObject", resource: "arn:aws:s3:::c/wh/a/x"}, false},
		{demand{action: "s3:PutObjectAcl", resource: "arn:aws:s3:::b/wh/a/x"}, false},
		{demand{action: "s3:GetObject", resource: "arn:aws:s3:::b/wh/a/secret/x"}, false},
		{demand{action: "s3:ListBucket", resource: "arn:aws:s3:::b", prefix: prefix("wh/a/data")}, true},
		{demand{action: "s3:ListBucket", resource: "arn:aws:s3:::b", prefix: prefix("wh/a")}, false},
		{demand{action: "s3:ListBucket", resource: "arn:aws:s3:::b", prefix: prefix("")}, false},
		{demand{action: "s3:ListBucket", resource: "arn:aws:s3:::b"}, false},
		{demand{action: other, resource: "arn:aws:s3:::b/wh/a/x"}, false},
	} {
		if got := p.allows(c.d); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}

// TestPoliciesThatAreNotKnownAreRefused: nothing of a policy is passed over in silence.
func TestPoliciesThatAreNotKnownAreRefused(t *testing.T) {
	for _, replaced := range [][2]string{
		{`"Effect":"Allow","Action":"s3:ListBucket"`, `"Effect":"Maybe","Action":"s3:ListBucket"`},
		{`"Action":"s3:ListBucket"`, `"NotAction":"s3:ListBucket"`},
		{`"Action":"s3:ListBucket"`, `"Action":[]`},
		{`"Action":"s3:ListBucket"`, `"Action":"ListBucket"`},
		{`"arn:aws:s3:::b/wh/a/*"`, `"b/wh/a/*"`},
		{"StringLike", "StringNotLike"},
		{"s3:prefix", "s3:delimiter"},
		{"2012-10-17", "2012-10-18"},
		{"]}", "]"},
		{"]}", "]} {}"},
	} {
		if text := strings.Replace(tablePolicy, replaced[0], replaced[1], 1); text == tablePolicy {
			t.Errorf("nothing is replaced: %s", replaced[0])
		} else if last := strings.LastIndex(tablePolicy, replaced[0]); last >= 0 {
			if _, err := parsePolicy(tablePolicy[:last] + replaced[1] + tablePolicy[last+len(replaced[0]):]); err == nil {
				t.Errorf("%s is taken", replaced[1])
			}
		}
	}
	if _, err := parsePolicy(`{"Version":"2012-10-17","Statement":[]}`); err == nil {
		t.Error("no statement is taken")
	}
}
