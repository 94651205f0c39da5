package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/probe"
	"puddle/internal/warehouse/s3"
	"puddle/recover"
	"puddle/rest"
)

const (
	probeTime    = 10 * time.Second // of one place
	probesAtOnce = 4                // warehouses
)

// probed is a place in an object store, and what that does.
type probed struct {
	place config.Place
	probe.Report
}

// probeStores tries what the object stores do that warehouses are in, once, before a
// warehouse is bound: who is to write there must know. Reports write nothing, and a
// recovery is the way out of a store that does not do what it must.
func (n *node) probeStores(ctx context.Context) error {
	if n.purpose != serving && n.purpose != changing {
		return nil
	}
	for _, e := range exposures(n.config) {
		n.log.Warn().Str("of", e.whose).Str("endpoint", e.endpoint).Msg(unsecured)
	}
	var all sync.WaitGroup
	errs, slots := make([]error, len(n.warehouses)), make(chan struct{}, probesAtOnce)
	for i, w := range n.warehouses {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = n.probeWarehouse(ctx, w)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (n *node) probeWarehouse(ctx context.Context, w *warehouse) error {
	for i, place := range w.Places() {
		if place.IsFolder() {
			continue
		}
		var report probe.Report
		err := n.patiently(ctx, "waiting for the object store of warehouse "+w.Name, storePasses, func() error {
			asked, enough := context.WithTimeout(ctx, probeTime)
			defer enough()
			report = probe.Run(asked, w.roots[i].Store)
			return usable(report)
		})
		if err != nil && ctx.Err() == nil {
			return unreached("warehouse "+w.Name, place, w.S3.Service, err)
		}
		if err != nil {
			return err
		}
		w.probed = append(w.probed, probed{place, report})
		n.tellProbe(w, place, report)
		if i == 0 {
			n.suits(w, report)
		}
	}
	return nil
}

// usable is why a store cannot be used as far as a probe could see: it refuses access, or did
// not say whether it keeps conditions.
func usable(r probe.Report) error {
	if refused := r.Unseen(); errors.Is(refused, store.ErrDenied) {
		return refused
	}
	verdict, why := r.Conditional()
	if verdict == probe.Unseen {
		return why
	}
	return nil
}

// tellProbe logs what an operator should know of a store.
func (n *node) tellProbe(w *warehouse, place config.Place, r probe.Report) {
	for _, message := range tells(r) {
		n.log.Warn().Str("warehouse", w.Name).Str("location", place.URL).Str("see", "puddle config check --probe").Msg("the object store: " + message)
	}
}

// tells is all that somebody should look at.
func tells(r probe.Report) []string {
	all := append(r.Findings(), r.Warnings()...)
	if err := r.Unseen(); err != nil {
		all = append(all, "not everything could be tried: "+err.Error())
	}
	return all
}

// unsecured is what is said of an exposure.
const unsecured = "an endpoint of the object store is reached without TLS: what goes there and comes back, credentials too, can be seen and changed on the way"

// exposure is an endpoint of an object store, or of STS, that is reached over a network
// without TLS.
type exposure struct{ whose, endpoint string }

// exposures are those of warehouses and external warehouses.
func exposures(c config.Config) (all []exposure) {
	add := func(whose string, s config.S3) {
		for _, endpoint := range s.Exposed() {
			all = append(all, exposure{whose, endpoint})
		}
	}
	for _, w := range c.Warehouses {
		add("warehouse "+w.Name, w.S3)
	}
	for _, e := range c.Externals {
		add("external warehouse "+e.Name, e.S3)
	}
	return all
}

// suits judges the store of a warehouse's own root. In the others are files with names of
// their own only, and without a journal that is kept there is nothing to protect.
func (n *node) suits(w *warehouse, r probe.Report) {
	if verdict, why := r.Conditional(); verdict == probe.Broken && n.config.Metastore.Type != config.Memory {
		w.unfit = fmt.Errorf("the catalog of warehouse %s is read only: the object store of %s does not do what keeps two catalogs apart: %w", w.Name, w.Root.URL, why)
		n.log.Error().Str("warehouse", w.Name).Str("see", "docs/operations.md#a-store-that-ignores-conditions").Err(w.unfit).Msg("read only")
	}
}

// unborn refuses to begin a history where nothing would protect it.
func (w *warehouse) unborn(err error) error {
	if w.unfit == nil || !errors.Is(err, recover.ErrUnborn) {
		return err
	}
	return &recover.Refusal{
		Warehouse: w.Name, Err: w.unfit, Command: "puddle config check --probe",
		Reason: fmt.Sprintf("it is not begun: %v; use an object store that keeps If-None-Match", w.unfit),
	}
}

// unwritten is a store in which nothing is made, because it is unfit.
type unwritten struct {
	store.Store
	why error
}

// Create implements store.Store.
func (u unwritten) Create(context.Context, string, []byte) error { return u.why }

// bucketPasses tells whether something failed because of an object store of the node's,
// and may succeed in a moment.
func (n *node) bucketPasses(err error) bool {
	inBucket := func(w *warehouse) bool {
		return slices.ContainsFunc(w.Places(), func(p config.Place) bool { return !p.IsFolder() })
	}
	return s3.Passing(err) && slices.ContainsFunc(n.warehouses, inBucket)
}

// storePasses tells of a place in an object store whether what failed there may succeed in
// a moment.
func storePasses(err error) bool {
	return s3.Passing(err) || errors.Is(err, context.DeadlineExceeded)
}

// unreached says of a warehouse that cannot be looked at what an operator can do.
func unreached(whose string, place config.Place, s config.Service, err error) error {
	return fail(codeNoLook, "%s at %s: %w", whose, place.URL, unusable(place, s, err))
}

// hint says of what failed in a warehouse's own object store what an operator can do.
// Other errors stay as they are, and what was said before is not said again.
func (w *warehouse) hint(err error) error {
	asked := s3.Asked(err) || storePasses(err) || errors.Is(err, store.ErrNoBucket) || errors.Is(err, store.ErrDenied)
	if err == nil || w.Root.IsFolder() || !asked || errors.As(err, new(advised)) {
		return err
	}
	return unreached("warehouse "+w.Name, w.Root, w.S3.Service, err)
}

// advised is an error of an object store that says what to do.
type advised struct{ error }

func (a advised) Unwrap() error { return a.error }

func unusable(place config.Place, s config.Service, err error) error {
	what := "are endpoint and region right, and can it be reached from here?"
	bucket, _ := place.Location.Bucket()
	endpoint, _ := url.Parse(s.Endpoint)
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown) && s.Endpoint == "":
		what = "is region right, and are names of the network resolved here?"
	case errors.As(err, &unknown) && !s.PathStyle && strings.HasPrefix(unknown.Name, bucket+"."):
		what = "set path-style-access: true, unless " + unknown.Name + " should be a name of the store, or is endpoint wrong?"
	case errors.Is(err, store.ErrNoBucket) && endpoint != nil && strings.Trim(endpoint.Path, "/") != "":
		what = fmt.Sprintf("is the path %s right that endpoint ends in (a bucket is asked for below it)? Else make the bucket, or say the endpoint and the region that it is at", endpoint.Path)
	case errors.Is(err, store.ErrNoBucket):
		what = "make the bucket, or say the endpoint and the region that it is at"
	case errors.Is(err, store.ErrDenied):
		what = "are access-key-id and secret-access-key right (without them: the credentials of the environment), and do they have the rights of docs/object-stores.md?"
	}
	return advised{fmt.Errorf("the bucket %s cannot be used: %w; %s", bucket, err, what)}
}

// storage is what a warehouse is in, for those who ask.
func (w *warehouse) storage() rest.Storage {
	s := rest.Storage{Kind: string(w.Root.Location.Family())}
	for _, p := range w.probed {
		if p.place == w.Root {
			verdict, _ := p.Conditional()
			s.At, s.Conditional, s.Ahead = p.At, verdict == probe.Holds, p.Ahead
		}
		for _, message := range tells(p.Report) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the object store of %s: %s", p.place.URL, message))
		}
	}
	return s
}
