package vended

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Issuer makes credentials.
type Issuer interface {
	// Issue makes credentials of a session that may do what its policy says and no
	// more. It answers within a bounded time. Its errors hold no secret.
	Issue(ctx context.Context, session, policy string) (Credentials, error)
}

// Outcome is what came of asking a Vendor.
type Outcome string

// The outcomes.
const (
	Issued  Outcome = "issued"  // by the issuer, for this one or for others who asked at the same moment
	Cached  Outcome = "cached"  // had been issued before
	Refused Outcome = "refused" // no policy can be made
	Failed  Outcome = "failed"  // the issuer failed, or nobody waited any more
)

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Issued, Cached, Refused, Failed} }

// Options is what a Vendor stands on. Issuer is needed.
type Options struct {
	Issuer      Issuer
	Partition   string        // of the ARNs of buckets; default aws
	Read, Write *Policy       // default ReadPolicy, WritePolicy
	Life        time.Duration // of new credentials
	Now         func() time.Time
	Asked       func(Outcome)       // told of each answer; optional
	Took        func(time.Duration) // told how long the issuer took; optional
}

// maxKept is how many credentials are kept at most: some 20 MB with the longest tokens.
const maxKept = 8192

// minLeft is the life that credentials still have when they are handed out, if they
// ever have so much: Iceberg's Java client asks for new ones when 5 minutes are left.
const minLeft = 6 * time.Minute

// tolerance is by how much credentials may live longer than was asked for: an issuer may
// round, or its clock be wrong and not told.
const tolerance = time.Hour

// Vendor hands out credentials. Safe for concurrent use.
type Vendor struct {
	Options
	mu     sync.Mutex
	flying map[grant]*flight // guarded by mu
	young  map[grant]Given   // guarded by mu
	old    map[grant]Given   // guarded by mu: what was young when there was no more room
}

// Given are credentials that are handed out.
type Given struct {
	Credentials
	Until time.Time // when they are over by the clock of Options.Now, which may differ from Expires
}

// grant is what credentials are for: a session, and the SHA-256 of its policy, which
// says mode and places.
type grant struct {
	session Session
	policy  [sha256.Size]byte
}

// flight is a call of the issuer.
type flight struct {
	done chan struct{} // closed when the others are set
	made Given
	err  error
}

// New makes a vendor.
func New(o Options) *Vendor {
	if o.Partition == "" {
		o.Partition = "aws"
	}
	if o.Read == nil {
		o.Read = ReadPolicy()
	}
	if o.Write == nil {
		o.Write = WritePolicy()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Asked == nil {
		o.Asked = func(Outcome) {}
	}
	if o.Took == nil {
		o.Took = func(time.Duration) {}
	}
	return &Vendor{Options: o, flying: map[grant]*flight{}}
}

// Vend answers credentials of a session that reach the places, and nothing else, with a
// good part of their life left. ErrUnfit when no policy can be made; the cause of ctx
// when that ends first; all other errors are the issuer's, or say that what it answered are
// no credentials for a while.
func (v *Vendor) Vend(ctx context.Context, session Session, mode Mode, places ...Place) (Given, error) {
	policy := v.Read
	if mode == ReadWrite {
		policy = v.Write
	}
	text, err := policy.For(v.Partition, places...)
	if err != nil {
		v.Asked(Refused)
		return Given{}, err
	}
	made, outcome, err := v.ask(ctx, session, text)
	v.Asked(outcome)
	return made, err
}

// ask answers from memory, or waits for the issuer.
func (v *Vendor) ask(ctx context.Context, session Session, policy string) (Given, Outcome, error) {
	known, f := v.find(ctx, session, policy)
	if f == nil {
		return known, Cached, nil
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		return Given{}, Failed, context.Cause(ctx)
	}
	if f.err != nil {
		return Given{}, Failed, f.err
	}
	return f.made, Issued, nil
}

// Try asks the issuer once for credentials that write at a place, and keeps none of them.
// ErrUnfit when no policy can name it; else the errors are those of Vend.
func (v *Vendor) Try(ctx context.Context, place Place) error {
	policy, err := v.Write.For(v.Partition, place)
	if err != nil {
		return err
	}
	made, err := v.Issuer.Issue(ctx, "puddle@vended-credentials", policy)
	if err == nil {
		_, err = v.given(made)
	}
	return err
}

// find answers what is kept and still good, or the call that makes it anew.
func (v *Vendor) find(ctx context.Context, session Session, policy string) (Given, *flight) {
	g := grant{session, sha256.Sum256([]byte(policy))}
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.young[g]
	if !ok {
		known, ok = v.old[g]
	}
	if ok && known.Until.Sub(v.Now()) > v.least() {
		v.keepLocked(g, known)
		return known, nil
	}
	f := v.flying[g]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		v.flying[g] = f
		go v.issue(context.WithoutCancel(ctx), g, policy, f)
	}
	return Given{}, f
}

// least is the life that must be left of what is handed out again: a quarter, and not
// so little that the client would ask again at once.
func (v *Vendor) least() time.Duration { return min(max(v.Life/4, minLeft), v.Life/2) }

// issue makes new ones for all who wait.
func (v *Vendor) issue(ctx context.Context, g grant, policy string, f *flight) {
	defer close(f.done)
	began := time.Now()
	made, err := v.Issuer.Issue(ctx, g.session.Name(), policy)
	v.Took(time.Since(began))
	if err == nil {
		f.made, err = v.given(made)
	}
	f.err = err
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.flying, g)
	if f.err == nil {
		v.keepLocked(g, f.made)
	}
}

// given looks at what the issuer has just answered: credentials that are whole, and live for
// a while and not for good.
func (v *Vendor) given(c Credentials) (Given, error) {
	now := v.Now()
	g := Given{c, c.end(now)}
	switch left := g.Until.Sub(now); {
	case c.AccessKeyID == "", c.SecretAccessKey == "", c.SessionToken == "", c.Expires.IsZero():
		return Given{}, errors.New("the issuer answered credentials that are not whole")
	case left <= 0:
		return Given{}, fmt.Errorf("the issuer answered credentials that ended at %s, and it is %s", c.Expires.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case left > v.Life+tolerance:
		return Given{}, fmt.Errorf("the issuer answered credentials until %s, and was asked for %s of them", c.Expires.UTC().Format(time.RFC3339), v.Life)
	}
	return g, nil
}

// keepLocked lets go of what nobody asked for since as many others were kept as there
// is room for half of.
func (v *Vendor) keepLocked(g grant, c Given) {
	if v.young == nil || len(v.young) >= maxKept/2 {
		v.young, v.old = map[grant]Given{}, v.young
	}
	v.young[g] = c
}
