package vended

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"puddle/internal/warehouse"
)

// MaxPolicy is how many characters a session's policy may have
// (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html).
const MaxPolicy = 2048

// Policy makes the policy of a session from its places. It never changes.
type Policy struct {
	actions []string           // of the built-in one
	text    *template.Template // nil: the built-in one
}

// ReadPolicy is the built-in policy of who reads: objects, and lists of their prefixes.
func ReadPolicy() *Policy { return &Policy{actions: []string{"s3:GetObject"}} }

// WritePolicy is that of who writes as well: puts, deletes and uploads in parts.
func WritePolicy() *Policy {
	return &Policy{actions: []string{
		"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts",
	}}
}

// Fields are what the template of a policy can name. Its function json writes any of
// them as JSON, which is the one right way to put text into a policy.
type Fields struct {
	Partition string   // of ARNs: aws, aws-cn, aws-us-gov
	Objects   []string // ARNs of all objects at the places, such as arn:aws:s3:::lake/wh/t/*
	Buckets   []Bucket // those of the places, each once
	Places    []Place
}

// Bucket is one bucket in Fields.
type Bucket struct {
	Name     string
	ARN      string
	Prefixes []string // patterns of the prefixes that may be listed, such as wh/t/*
}

// ParsePolicy reads the template of a policy (package text/template). It is tried with
// places whose names hold quotes and letters of all kinds: a template that does not
// make JSON of these is an error.
func ParsePolicy(text string) (*Policy, error) {
	parsed, err := template.New("policy").Option("missingkey=error").Funcs(template.FuncMap{"json": inJSON}).Parse(text)
	if err != nil {
		return nil, err
	}
	p := &Policy{text: parsed}
	_, err = p.For("aws", Place{"a-bucket", "a \"folder\"/é\u4e16/"}, Place{"another.bucket", "b/"})
	return p, err
}

func inJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// For is the policy for places, in ASCII without white space. ErrUnfit when a place
// cannot be named or there are too many: never is it wider than they are.
func (p *Policy) For(partition string, places ...Place) (string, error) {
	for _, place := range places {
		if err := place.check(); err != nil {
			return "", err
		}
	}
	if len(places) == 0 {
		return "", fmt.Errorf("%w: there is no place to reach", ErrUnfit)
	}
	text, err := p.written(fieldsOf(partition, places))
	if err != nil {
		return "", err
	}
	if len(text) > MaxPolicy {
		return "", fmt.Errorf("%w: the policy for %d locations has %d characters, the limit is %d", ErrUnfit, len(places), len(text), MaxPolicy)
	}
	return text, nil
}

func (p *Policy) written(f Fields) (string, error) {
	if p.text == nil {
		text, err := json.Marshal(p.builtIn(f))
		return ascii(text), err
	}
	var out bytes.Buffer
	if err := p.text.Execute(&out, f); err != nil {
		return "", err
	}
	text := jsontext.Value(out.Bytes())
	if err := text.Compact(); err != nil {
		return "", fmt.Errorf("what the template makes is no JSON: %w", err)
	}
	if text.Kind() != '{' {
		return "", fmt.Errorf("what the template makes is no object of JSON")
	}
	return ascii(text), nil
}

func fieldsOf(partition string, places []Place) Fields {
	f := Fields{Partition: partition, Places: places}
	arn := "arn:" + partition + ":s3:::"
	for _, place := range places {
		f.Objects = append(f.Objects, arn+place.Bucket+"/"+place.Prefix+"*")
		at := slices.IndexFunc(f.Buckets, func(b Bucket) bool { return b.Name == place.Bucket })
		if at < 0 {
			at = len(f.Buckets)
			f.Buckets = append(f.Buckets, Bucket{Name: place.Bucket, ARN: arn + place.Bucket})
		}
		f.Buckets[at].Prefixes = append(f.Buckets[at].Prefixes, place.Prefix+"*")
	}
	return f
}

type document struct {
	Version   string
	Statement []statement
}

type statement struct {
	Effect    string
	Action    []string
	Resource  []string
	Condition map[string]map[string][]string `json:",omitempty"`
}

func (p *Policy) builtIn(f Fields) document {
	d := document{Version: "2012-10-17", Statement: []statement{{Effect: "Allow", Action: p.actions, Resource: f.Objects}}}
	var buckets []string
	for _, b := range f.Buckets {
		buckets = append(buckets, b.ARN)
		d.Statement = append(d.Statement, statement{
			Effect: "Allow", Action: []string{"s3:ListBucket"}, Resource: []string{b.ARN},
			Condition: map[string]map[string][]string{"StringLike": {"s3:prefix": b.Prefixes}},
		})
	}
	d.Statement = append(d.Statement,
		statement{Effect: "Allow", Action: []string{"s3:GetBucketLocation"}, Resource: buckets},
		statement{Effect: "Deny", Action: []string{"s3:*"}, Resource: reserved(buckets)},
	)
	return d
}

// reserved is all that catalogs keep for themselves in buckets, wherever they are: a place
// that somebody registers may be above another's.
func reserved(buckets []string) (all []string) {
	for _, bucket := range buckets {
		all = append(all, bucket+"/"+warehouse.ReservedFolder+"/*", bucket+"/*/"+warehouse.ReservedFolder+"/*")
	}
	return all
}

// ascii writes the other characters of a JSON text as escapes: STS takes few of them.
func ascii(text []byte) string {
	var out strings.Builder
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// Partition is that of a role's ARN, in which its buckets are: aws for all that are not
// of AWS.
func Partition(role string) string {
	_, rest, _ := strings.Cut(role, ":")
	partition, _, _ := strings.Cut(rest, ":")
	if strings.HasPrefix(partition, "aws-") {
		return partition
	}
	return "aws"
}
