package warehouse

import (
	"regexp"
	"strings"
)

// BucketRule is by whose rule a name may be a bucket's. Each takes fewer names than the one
// before.
type BucketRule int

// The rules.
const (
	// AnyBucket: it is of letters and digits of ASCII, dots, underscores and hyphens, so
	// that it is one segment that means itself in a URL and in a policy. Locations take it:
	// whose bucket it is they do not know.
	AnyBucket BucketRule = iota
	// OlderBucket: AWS took it before 2018, and other object stores do still. It may be no
	// host's name.
	OlderBucket
	// AWSBucket: AWS takes it, in any region and today.
	AWSBucket
)

// Of OlderBucket and AWSBucket.
var (
	olderBucket = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$`)
	awsBucket   = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

// Takes tells whether the rule takes a name.
func (r BucketRule) Takes(name string) bool {
	switch r {
	case AWSBucket:
		return awsBucket.MatchString(name)
	case OlderBucket:
		return olderBucket.MatchString(name)
	}
	return badSegment(name) == "" && !strings.ContainsFunc(name, notOfBucket)
}

func notOfBucket(r rune) bool {
	isName := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !isName && !strings.ContainsRune("._-", r)
}
