package s3test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// policy says what is allowed, in AWS's language: what of it is known here is evaluated
// as AWS does, and all else is refused when it is read.
type policy struct {
	Version   string
	ID        string `json:"Id"`
	Statement list[statement]
}

type statement struct {
	Sid, Effect      string
	Action, Resource list[string]
	Condition        map[string]map[string]list[string] // operator, key, any of the values
}

// list is one value or several.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), "[") {
		var several []T
		err := strict(data, &several)
		*l = several
		return err
	}
	*l = make(list[T], 1)
	return strict(data, &(*l)[0])
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the document")
	}
	return nil
}

// parsePolicy reads a policy.
func parsePolicy(text string) (*policy, error) {
	var p policy
	if err := strict([]byte(text), &p); err != nil {
		return nil, err
	}
	if p.Version != "" && p.Version != "2012-10-17" && p.Version != "2008-10-17" {
		return nil, fmt.Errorf("version %q", p.Version)
	}
	if len(p.Statement) == 0 {
		return nil, errors.New("no statement")
	}
	for _, s := range p.Statement {
		if err := s.check(); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

func (s statement) check() error {
	if s.Effect != "Allow" && s.Effect != "Deny" {
		return fmt.Errorf("effect %q", s.Effect)
	}
	if len(s.Action) == 0 || len(s.Resource) == 0 {
		return errors.New("a statement without an action or a resource")
	}
	for _, a := range s.Action {
		if a != "*" && !strings.Contains(a, ":") {
			return fmt.Errorf("action %q", a)
		}
	}
	for _, r := range s.Resource {
		if r != "*" && !strings.HasPrefix(r, "arn:aws:") {
			return fmt.Errorf("resource %q", r)
		}
	}
	for operator, keys := range s.Condition {
		if operator != "StringLike" && operator != "StringEquals" {
			return fmt.Errorf("this store does not know the condition %q", operator)
		}
		for key := range keys {
			if !strings.EqualFold(key, "s3:prefix") {
				return fmt.Errorf("this store does not know the key %q of a condition", key)
			}
		}
	}
	return nil
}

// demand is one thing that a request wants to do.
type demand struct {
	action, resource string  // s3:GetObject of arn:aws:s3:::bucket/key
	prefix           *string // s3:prefix of a listing that has one
}

// allows tells whether a policy does: a statement allows it, and none denies it.
func (p *policy) allows(d demand) bool { return p.has("Allow", d) && !p.denies(d) }

// denies tells whether a statement does. Nothing is denied by no policy.
func (p *policy) denies(d demand) bool { return p != nil && p.has("Deny", d) }

func (p *policy) has(effect string, d demand) bool {
	return slices.ContainsFunc(p.Statement, func(s statement) bool { return s.Effect == effect && s.matches(d, p.Version == "2012-10-17") })
}

// matches tells whether a statement speaks of a demand. Variables are those of the policy.
func (s statement) matches(d demand, variables bool) bool {
	action := func(a string) bool { return matches(strings.ToLower(a), strings.ToLower(d.action), false) }
	resource := func(r string) bool { return matches(r, d.resource, variables) }
	if !slices.ContainsFunc(s.Action, action) || !slices.ContainsFunc(s.Resource, resource) {
		return false
	}
	for operator, keys := range s.Condition {
		for _, values := range keys {
			holds := func(v string) bool {
				return d.prefix != nil && (operator == "StringLike" && matches(v, *d.prefix, variables) || operator == "StringEquals" && equal(v, *d.prefix, variables))
			}
			if !slices.ContainsFunc(values, holds) {
				return false
			}
		}
	}
	return true
}
