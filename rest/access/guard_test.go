package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"puddle/journal"
)

func guard(t *testing.T) *Guard {
	t.Helper()
	etl, err := NewToken("etl", "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("other"))
	nightly, err := NewTokenDigest("nightly", strings.ToUpper(hex.EncodeToString(sum[:])))
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGuard(etl, nightly)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Case 146: what is not exactly one known bearer token is nobody.
func TestCase146_StaticTokens(t *testing.T) {
	g := guard(t)
	for _, c := range []struct {
		header []string
		actor  journal.Actor
	}{
		{[]string{"Bearer s3cret"}, "token:etl"},
		{[]string{"bearer  s3cret "}, "token:etl"},
		{[]string{"Bearer other"}, "token:nightly"},
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"Bearer"}, ""},
		{[]string{"Bearer "}, ""},
		{[]string{"Bearer S3cret"}, ""},
		{[]string{"Bearer s3cret x"}, ""},
		{[]string{"Basic s3cret"}, ""},
		{[]string{"s3cret"}, ""},
		{[]string{"Bearer s3cret", "Bearer s3cret"}, ""},
	} {
		caller, err := g.Authenticate(t.Context(), c.header)
		if c.actor == "" {
			if !errors.Is(err, ErrNotAuthorized) {
				t.Errorf("%q: %v, %v", c.header, caller, err)
			}
			continue
		}
		if err != nil || caller != (Caller{c.actor, journal.OriginREST}) {
			t.Errorf("%q: %v, %v", c.header, caller, err)
		}
	}
}

func TestWithoutTokensEverybodyIsAnonymous(t *testing.T) {
	g, err := NewGuard()
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range [][]string{nil, {"Bearer "}, {"Bearer anything"}} {
		caller, err := g.Authenticate(t.Context(), header)
		if err != nil || caller != (Caller{journal.Anonymous, journal.OriginREST}) {
			t.Errorf("%q: %v, %v", header, caller, err)
		}
	}
}

func TestTrustedConnectionsNeedNoToken(t *testing.T) {
	ctx := WithActor(context.Background(), journal.CLIActor("ada"))
	caller, err := guard(t).Authenticate(ctx, nil)
	if err != nil || caller != (Caller{"cli:ada", journal.OriginCLI}) {
		t.Errorf("%v, %v", caller, err)
	}
}

func TestTokensThatCannotBeToldApart(t *testing.T) {
	a, _ := NewToken("a", "x")
	b, _ := NewToken("b", "x")
	again, _ := NewToken("a", "y")
	nameless, _ := NewToken("", "z")
	for _, tokens := range [][]Token{{a, b}, {a, again}, {nameless}} {
		if _, err := NewGuard(tokens...); err == nil {
			t.Errorf("%d tokens were accepted", len(tokens))
		} else if strings.Contains(err.Error(), `"x"`) {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
	if _, err := NewToken("empty", ""); err == nil {
		t.Error("an empty secret was accepted")
	}
	for _, digest := range []string{"", "zz", strings.Repeat("0", 62)} {
		if _, err := NewTokenDigest("d", digest); err == nil {
			t.Errorf("digest %q was accepted", digest)
		}
	}
}
