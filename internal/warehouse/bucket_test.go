package warehouse_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
)

func TestBucketRules(t *testing.T) {
	const none = warehouse.AnyBucket - 1
	for name, strictest := range map[string]warehouse.BucketRule{
		"lake": warehouse.AWSBucket, "a.b-c": warehouse.AWSBucket, "123": warehouse.AWSBucket, strings.Repeat("x", 63): warehouse.AWSBucket,
		"Lake": warehouse.OlderBucket, "a_b": warehouse.OlderBucket, strings.Repeat("x", 64): warehouse.OlderBucket, strings.Repeat("x", 255): warehouse.OlderBucket,
		"ab": warehouse.AnyBucket, "-lake": warehouse.AnyBucket, "lake_": warehouse.AnyBucket, "...": warehouse.AnyBucket, strings.Repeat("x", 256): warehouse.AnyBucket,
		"": none, ".": none, "..": none, "a b": none, "a/b": none, "lake*": none, "l\u00e4ke": none, "lake\n": none,
	} {
		for rule := warehouse.AnyBucket; rule <= warehouse.AWSBucket; rule++ {
			if got := rule.Takes(name); got != (rule <= strictest) {
				t.Errorf("rule %d, %q: %v", rule, name, got)
			}
		}
	}
}

// Each rule takes nothing that the one before does not.
func TestBucketRulesAreNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z0-9._/* -]{0,70}`).Draw(t, "name")
		for rule := warehouse.OlderBucket; rule <= warehouse.AWSBucket; rule++ {
			if rule.Takes(name) && !(rule - 1).Takes(name) {
				t.Errorf("rule %d takes %q", rule, name)
			}
		}
	})
}
