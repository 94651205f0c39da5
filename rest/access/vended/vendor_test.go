package vended

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// issuer makes credentials that say for whom they are.
type issuer struct {
	calls atomic.Int64
	wait  chan struct{} // nil: answers at once
	life  time.Duration
	err   error
}

// Issue implements Issuer.
func (i *issuer) Issue(_ context.Context, session, _ string) (Credentials, error) {
	n := i.calls.Add(1)
	if i.wait != nil {
		<-i.wait
	}
	if i.err != nil {
		return Credentials{}, i.err
	}
	return Credentials{AccessKeyID: fmt.Sprint("key-", n), SecretAccessKey: "secret-of-" + session, SessionToken: "token-of-" + session, Expires: time.Now().Add(i.life)}, nil
}

func newVendor(i *issuer, told *[]Outcome) *Vendor {
	return New(Options{Issuer: i, Life: i.life, Asked: func(o Outcome) {
		if told != nil {
			*told = append(*told, o)
		}
	}})
}

var here = Place{"lake", "wh/t/"}

// Credentials are handed out again until a quarter of their life is left, to the same
// session, for the same places, in the same mode.
func TestCredentialsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []Outcome
		i := &issuer{life: time.Hour}
		v := newVendor(i, &told)
		vend := func(actor string, mode Mode, places ...Place) string {
			t.Helper()
			c, err := v.Vend(t.Context(), Session{actor, "t"}, mode, places...)
			if err != nil {
				t.Fatal(err)
			}
			if left := time.Until(c.Expires); left < 15*time.Minute {
				t.Errorf("%s are left", left)
			}
			return c.AccessKeyID
		}
		first := vend("a", ReadWrite, here)
		time.Sleep(44 * time.Minute)
		if vend("a", ReadWrite, here) != first {
			t.Error("others")
		}
		for _, other := range []string{
			vend("b", ReadWrite, here), vend("a", ReadOnly, here), vend("a", ReadWrite, Place{"lake", "wh/t2/"}),
			vend("a", ReadWrite, here, Place{"lake", "d/"}),
		} {
			if other == first {
				t.Error("one for two")
			}
		}
		time.Sleep(2 * time.Minute)
		if vend("a", ReadWrite, here) == first {
			t.Error("they are about to end")
		}
		if want := append([]Outcome{Issued, Cached}, slices.Repeat([]Outcome{Issued}, 5)...); !slices.Equal(told, want) {
			t.Error(told)
		}
	})
}

// Who asks at the same moment waits for one answer, each as long as they like.
func TestConcurrentAsksAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{life: time.Hour, wait: make(chan struct{})}
		v := newVendor(i, nil)
		answers := make(chan string, 10)
		for range 10 {
			go func() {
				c, _ := v.Vend(t.Context(), Session{"s", "t"}, ReadOnly, here)
				answers <- c.AccessKeyID
			}()
		}
		hasty, leave := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := v.Vend(hasty, Session{"s", "t"}, ReadOnly, here)
			gone <- err
		}()
		synctest.Wait()
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(i.wait)
		for range 10 {
			if got := <-answers; got != "key-1" {
				t.Error(got)
			}
		}
		if n := i.calls.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

// Two actors whose sessions could be called alike share nothing.
func TestActorsWithLongNames(t *testing.T) {
	v := newVendor(&issuer{life: time.Hour}, nil)
	seen := map[Given]string{}
	for _, actor := range []string{"token:a-b", "token:a:b", "token:" + strings.Repeat("x", 40) + "1", "token:" + strings.Repeat("x", 40) + "2"} {
		c, err := v.Vend(t.Context(), Session{actor, "0193a2c4-0000-7000-8000-000000000001"}, ReadOnly, here)
		if err != nil || seen[c] != "" {
			t.Errorf("%s has the credentials of %s, %v", actor, seen[c], err)
		}
		for other := range seen {
			if other.SessionToken == c.SessionToken {
				t.Errorf("%s has the session of %s", actor, seen[other])
			}
		}
		seen[c] = actor
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	var told []Outcome
	i := &issuer{life: time.Hour, err: errors.New("no")}
	v := newVendor(i, &told)
	if _, err := v.Vend(t.Context(), Session{"s", "t"}, ReadOnly, here); !errors.Is(err, i.err) {
		t.Error(err)
	}
	i.err = nil
	if _, err := v.Vend(t.Context(), Session{"s", "t"}, ReadOnly, here); err != nil {
		t.Error(err)
	}
	if _, err := v.Vend(t.Context(), Session{"s", "t"}, ReadOnly, Place{"lake", "*/"}); !errors.Is(err, ErrUnfit) {
		t.Error(err)
	}
	if got := fmt.Sprint(told); got != "[failed issued refused]" {
		t.Error(got)
	}
}

func TestKeptCredentialsAreBounded(t *testing.T) {
	i := &issuer{life: time.Hour}
	v := newVendor(i, nil)
	for n := range 2 * maxKept {
		if _, err := v.Vend(t.Context(), Session{fmt.Sprint(n), "t"}, ReadOnly, here); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(v.young) + len(v.old); n > maxKept || n < maxKept/2 {
		t.Errorf("%d are kept", n)
	}
}

// Secrets are in the fields and nowhere else.
func TestCredentialsHideThemselves(t *testing.T) {
	c := Credentials{AccessKeyID: "AKIA", SecretAccessKey: "hush", SessionToken: "shush", Expires: time.Unix(0, 0)}
	wrapped := fmt.Errorf("of %v: %w", c, errors.New("x"))
	texts := []string{c.String(), wrapped.Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts = append(texts, fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c), fmt.Sprintf(verb, []Credentials{c}), fmt.Sprintf(verb, struct{ C Credentials }{c}), fmt.Sprintf(verb, Given{c, c.Expires}))
	}
	for _, one := range []any{c, Given{c, c.Expires}} {
		if text, err := json.Marshal(one); err == nil {
			t.Errorf("%s", text)
		}
	}
	for _, text := range texts {
		for _, secret := range []string{"AKIA", "hush", "68757368"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %s", text, secret)
			}
		}
	}
}

// answered is an issuer that answers one thing.
type answered Credentials

// Issue implements Issuer.
func (a answered) Issue(context.Context, string, string) (Credentials, error) {
	return Credentials(a), nil
}

// What is answered has to be credentials, and for a while: not over, nor for good.
func TestAnswersThatAreNoCredentials(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	whole := Credentials{AccessKeyID: "a", SecretAccessKey: "b", SessionToken: "c", Expires: now.Add(time.Hour)}
	for name, change := range map[string]func(*Credentials){
		"not whole":                                            func(c *Credentials) { c.SessionToken = "" },
		"that ended at 2026-11-30T11:00":                       func(c *Credentials) { c.Expires = now.Add(-time.Hour) },
		"that ended at 2026-11-30T13:00":                       func(c *Credentials) { c.Answered = now.Add(time.Hour) },
		"until 2126-11-30T12:00:00Z, and was asked for 1h0m0s": func(c *Credentials) { c.Expires = now.AddDate(100, 0, 0) },
	} {
		c := whole
		change(&c)
		v := New(Options{Issuer: answered(c), Life: time.Hour, Now: func() time.Time { return now }})
		_, err := v.Vend(t.Context(), Session{"a", "t"}, ReadWrite, here)
		for _, err := range []error{err, v.Try(t.Context(), here)} {
			if err == nil || !strings.Contains(err.Error(), name) || len(v.young) > 0 {
				t.Errorf("%s: %v, %d kept", name, err, len(v.young))
			}
		}
	}
}

// Credentials are handed out for as long as they live, whatever the issuer's clock is: that
// here may be hours before it, or after.
func TestClocksThatDiffer(t *testing.T) {
	for _, ahead := range []time.Duration{-5 * time.Hour, -50 * time.Minute, 50 * time.Minute, 5 * time.Hour} {
		theirs := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		now := theirs.Add(ahead)
		v := New(Options{Issuer: answered{
			AccessKeyID: "a", SecretAccessKey: "b", SessionToken: "c", Expires: theirs.Add(time.Hour), Answered: theirs,
		}, Life: time.Hour, Now: func() time.Time { return now }})
		var came []Outcome
		v.Asked = func(o Outcome) { came = append(came, o) }
		first := now
		for _, passed := range []time.Duration{0, 40 * time.Minute, 50 * time.Minute} {
			now = first.Add(passed)
			got, err := v.Vend(t.Context(), Session{"a", "t"}, ReadWrite, here)
			if err != nil || !got.Expires.Equal(theirs.Add(time.Hour)) || passed == 0 && !got.Until.Equal(now.Add(time.Hour)) {
				t.Errorf("%v ahead, after %v: %v until %v, %v", ahead, passed, got, got.Until, err)
			}
		}
		if fmt.Sprint(came) != "[issued cached issued]" {
			t.Errorf("%v ahead: %v", ahead, came)
		}
	}
}
