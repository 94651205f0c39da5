package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"puddle/cmd/puddle/config"
	"puddle/rest"
	"puddle/rest/access/vended"
	"puddle/rest/access/vended/sts"
)

// vendedReport is what came of asking STS once for what a table would get. Its keys are
// promises.
type vendedReport struct {
	Warehouse string `json:"warehouse"`
	External  bool   `json:"external"`
	Verdict   string `json:"verdict"`           // holds, refused, unreached, unfit
	Code      string `json:"code,omitempty"`    // of STS
	Finding   string `json:"finding,omitempty"` // what is wrong, and what to do
}

// tries are the places of object stores for which credentials are to be made, one a
// block of the configuration.
func tries(c config.Config) (all []vendedTry) {
	add := func(whose string, external bool, s config.S3, places ...config.Place) {
		for _, place := range places {
			if s.Vended.Enabled && !place.IsFolder() {
				all = append(all, vendedTry{whose, external, s, place})
				return
			}
		}
	}
	for _, w := range c.Warehouses {
		add(w.Name, false, w.S3, w.Places()...)
	}
	for _, e := range c.Externals {
		add(e.Name, true, e.S3, e.Root)
	}
	return all
}

type vendedTry struct {
	whose    string
	external bool
	s3       config.S3
	place    config.Place
}

// below is where a table could be.
func (t vendedTry) below() vended.Place {
	bucket, prefix := t.place.Location.Bucket()
	return vended.Place{Bucket: bucket, Prefix: prefix + "puddle-probe/"}
}

// run asks STS once, for credentials that nobody gets. It takes 12 seconds at most.
func (t vendedTry) run(ctx context.Context) vendedReport {
	r := vendedReport{Warehouse: t.whose, External: t.external, Verdict: "holds"}
	vendor, err := newVendor(ctx, (*rest.Metrics)(nil), t.whose, t.s3)
	if err == nil {
		err = vendor.Try(ctx, t.below())
	}
	if err == nil {
		return r
	}
	var what string
	r.Verdict, r.Code, what = t.judge(err)
	r.Finding = "vended-credentials: no client gets credentials: " + err.Error() + ": " + what
	return r
}

// judge says of a failure what an operator can do.
func (t vendedTry) judge(err error) (verdict, code, what string) {
	endpoint, _ := t.s3.STS()
	if endpoint == "" {
		endpoint = "AWS"
	}
	var answer *sts.Error
	switch {
	case errors.Is(err, vended.ErrUnfit):
		return "unfit", "", "no policy can name the location; move the warehouse, or leave vended-credentials off"
	case !errors.As(err, &answer):
		return "unreached", "", "is sts-endpoint right (asked: " + endpoint + "), and can it be reached from here?"
	}
	return "refused", answer.Code, t.advice(answer, endpoint)
}

// advice is what to do after an answer of STS.
func (t vendedTry) advice(answer *sts.Error, endpoint string) string {
	switch {
	case answer.Status == http.StatusMethodNotAllowed, answer.Status == http.StatusNotImplemented, answer.Code == "MethodNotAllowed",
		answer.Code == "NotImplemented", answer.Code == "InvalidAction", answer.Code == "UnknownOperationException":
		return "there is no STS at " + endpoint + ": set sts-endpoint to where there is one, or leave vended-credentials off"
	case answer.Code == "InvalidClientTokenId", answer.Code == "InvalidAccessKeyId", answer.Code == "SignatureDoesNotMatch":
		return "are access-key-id and secret-access-key right?"
	case answer.Code == "MalformedPolicyDocument", answer.Code == "PackedPolicyTooLarge", answer.Code == "PackedPolicyTooLargeException":
		return "does it take the policy (read-policy-template, write-policy-template)?"
	case t.s3.Vended.RoleARN == "":
		return fmt.Sprintf("role-arn is missing, so that the role %s was asked for: does this store take any? Set role-arn to one that there is", sts.AnyRole)
	}
	return "is there the role " + t.s3.Vended.RoleARN + " (role-arn), does its trust policy let these keys assume it (external-id too), and for duration-seconds?"
}

// tryVending asks STS once, beside the start: tables are loaded without credentials
// meanwhile, and where none can be made.
func (n *node) tryVending(context.Context) error {
	if n.purpose != serving {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	for _, t := range tries(n.config) {
		n.background.Go(func() {
			if r := t.run(ctx); r.Finding != "" && ctx.Err() == nil {
				n.trouble(subject{t.whose, vendedThing}, r.Finding)
			}
		})
	}
	n.onClose(func() error {
		stop()
		n.background.Wait()
		return nil
	})
	return nil
}

// vendedThing is what a trouble with credentials is about.
const vendedThing = "vended-credentials"

// vendedWarnings are what a configuration says of credentials that cannot come of it.
func vendedWarnings(c config.Config) (lines []string) {
	idle := func(whose string, s config.S3) {
		if !s.Vended.Enabled && s.Vended.RoleARN != "" {
			lines = append(lines, whose+": vended-credentials has a role-arn and is not enabled: no client gets credentials; set enabled: true")
		}
	}
	for _, w := range c.Warehouses {
		idle("warehouse "+w.Name, w.S3)
	}
	for _, e := range c.Externals {
		idle("external warehouse "+e.Name, e.S3)
	}
	for _, t := range tries(c) {
		if _, err := vended.WritePolicy().For("aws", t.below()); errors.Is(err, vended.ErrUnfit) {
			lines = append(lines, strings.Join([]string{t.whose, "vended-credentials", err.Error()}, ": "))
		}
	}
	return lines
}
