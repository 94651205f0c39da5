package vended

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Mode says what credentials allow at the places that they reach.
type Mode string

// The modes.
const (
	ReadOnly  Mode = "read-only"
	ReadWrite Mode = "read-write"
)

// Credentials are those of a session at an object store. However they are printed,
// they say no more than when they end, and they cannot be encoded.
type Credentials struct {
	AccessKeyID     string
	SecretAccessKey string
	SessionToken    string
	Expires         time.Time // as the issuer says
	Answered        time.Time // by the issuer's clock, whatever that is; zero: it did not say
}

// end is when they are over by another clock, which tells this when they were answered. That
// both are right is not needed: what counts is for how long they live.
func (c Credentials) end(answered time.Time) time.Time {
	if c.Answered.IsZero() {
		return c.Expires
	}
	return answered.Add(c.Expires.Sub(c.Answered))
}

// hidden is all that credentials say of themselves.
func (c Credentials) hidden() string {
	return "credentials until " + c.Expires.UTC().Format(time.RFC3339)
}

// String hides them.
func (c Credentials) String() string { return c.hidden() }

// Format hides them from every verb.
func (c Credentials) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, c.hidden()) }

// MarshalText refuses: whoever sends credentials names each field.
func (c Credentials) MarshalText() ([]byte, error) {
	return nil, errors.New("credentials are not to be encoded as a whole")
}
