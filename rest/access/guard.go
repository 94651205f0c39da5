package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"

	"puddle/journal"
)

// ErrNotAuthorized: the request names no known caller. The text says no more.
var ErrNotAuthorized = errors.New("a valid bearer token is needed")

// Token is one static bearer token, known by its digest.
type Token struct {
	Name   string // of whoever holds it; becomes the actor token:NAME
	SHA256 journal.Digest
}

// Guard authenticates. It never changes, so that it is safe for concurrent use.
type Guard struct{ holders []holder }

// holder is who has a token.
type holder struct {
	sha256 journal.Digest
	caller Caller
}

// NewGuard accepts the holders of the tokens, or everybody when there are none.
// Two tokens with one name, or one secret under two names, are an error: events
// could not tell who it was. So is the digest of an empty secret.
func NewGuard(tokens ...Token) (*Guard, error) {
	names := make(map[string]bool, len(tokens))
	secrets := make(map[journal.Digest]string, len(tokens))
	for _, t := range tokens {
		if t.Name == "" {
			return nil, errors.New("a token has no name")
		}
		if t.SHA256 == journal.Sum(nil) {
			return nil, fmt.Errorf("token %q is empty", t.Name)
		}
		if names[t.Name] {
			return nil, fmt.Errorf("two tokens have the name %q", t.Name)
		}
		if other, taken := secrets[t.SHA256]; taken {
			return nil, fmt.Errorf("tokens %q and %q are the same", other, t.Name)
		}
		names[t.Name], secrets[t.SHA256] = true, t.Name
	}
	holders := make([]holder, len(tokens))
	for i, t := range tokens {
		holders[i] = holder{t.SHA256, Caller{Actor: journal.TokenActor(t.Name), Origin: journal.OriginREST}}
	}
	return &Guard{holders}, nil
}

// Authenticate finds the caller from the context of the connection and the
// values of the request's Authorization headers. ErrNotAuthorized.
func (g *Guard) Authenticate(ctx context.Context, authorization []string) (Caller, error) {
	if caller, ok := trusted(ctx); ok {
		return caller, nil
	}
	if len(g.holders) == 0 {
		return Caller{Actor: journal.Anonymous, Origin: journal.OriginREST}, nil
	}
	if len(authorization) != 1 {
		return Caller{}, ErrNotAuthorized
	}
	scheme, secret, _ := strings.Cut(authorization[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return Caller{}, ErrNotAuthorized
	}
	caller, ok := g.holder(strings.Trim(secret, " "))
	if !ok {
		return Caller{}, ErrNotAuthorized
	}
	return caller, nil
}

// holder compares with every token, whether or not one fits already.
func (g *Guard) holder(secret string) (caller Caller, ok bool) {
	sum := journal.Sum([]byte(secret))
	found := -1
	for i := range g.holders {
		fits := subtle.ConstantTimeCompare(sum[:], g.holders[i].sha256[:])
		found = subtle.ConstantTimeSelect(fits, i, found)
	}
	if found < 0 {
		return Caller{}, false
	}
	return g.holders[found].caller, true
}
