package access

import (
	"context"
	"errors"
	"strings"
	"testing"

	"puddle/journal"
)

func token(name, secret string) Token { return Token{name, journal.Sum([]byte(secret))} }

func guard(t *testing.T) *Guard {
	t.Helper()
	g, err := NewGuard(token("etl", "s3cret"), token("nightly", "other"))
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
	a := token("a", "x")
	for _, tokens := range [][]Token{{a, token("b", "x")}, {a, token("a", "y")}, {token("", "z")}, {a, token("empty", "")}} {
		if _, err := NewGuard(tokens...); err == nil {
			t.Errorf("%v were accepted", tokens)
		} else if strings.Contains(err.Error(), `"x"`) {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}
