package anchor_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/fuzztest"
	"puddle/internal/warehouse/memory"
	"puddle/projections/anchor"
)

// judged fails for an error that is none of a parser, or does not name the object.
func judged(t *testing.T, key string, err error) bool {
	if err != nil && (!errors.Is(err, anchor.ErrDamaged) && !errors.Is(err, anchor.ErrNewer) || !strings.Contains(err.Error(), key)) {
		t.Fatal(err)
	}
	return err == nil
}

// FuzzReadIdentity: what is read as an identity can be written, and says the same then.
func FuzzReadIdentity(f *testing.F) {
	for _, seed := range fuzztest.Files(f, "../../fixtures/formats/v1/warehouse.json", "../../fixtures/formats/v1/head.json") {
		f.Add(seed)
	}
	f.Add([]byte(`{"format-version":2}`))
	f.Add(bytes.Replace(fuzztest.Files(f, "../../fixtures/formats/v1/warehouse.json")[0], []byte(`"2026-09-24T10:00:00.123Z"`), []byte(`"9999-12-31T23:59:59-01:00"`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := holding(t, anchor.IdentityKey, string(data))
		var got anchor.Identity
		var err error
		fuzztest.Bounded(t, len(data), 32, 0, func() { got, _, err = anchor.ReadIdentity(ctx, store) })
		if !judged(t, anchor.IdentityKey, err) {
			return
		}
		other := memory.New()
		if err := anchor.CreateIdentity(ctx, other, got); err != nil {
			t.Fatal(err)
		}
		if again, found, err := anchor.ReadIdentity(ctx, other); err != nil || !found || !cmp.Equal(got, again) {
			t.Fatalf("%v, %v: %s", found, err, cmp.Diff(got, again))
		}
	})
}

// FuzzReadHead: what is read as an anchor can be written, and says the same then.
func FuzzReadHead(f *testing.F) {
	for _, seed := range fuzztest.Files(f, "../../fixtures/formats/v1/warehouse.json", "../../fixtures/formats/v1/head.json") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		store := holding(t, anchor.HeadKey, string(data))
		var got anchor.Head
		var err error
		fuzztest.Bounded(t, len(data), 32, 0, func() { got, _, err = anchor.ReadHead(ctx, store) })
		if !judged(t, anchor.HeadKey, err) {
			return
		}
		other := memory.New()
		if err := anchor.Raise(ctx, other, got); err != nil {
			t.Fatal(err)
		}
		if again, found, err := anchor.ReadHead(ctx, other); err != nil || !found || !cmp.Equal(got, again) {
			t.Fatalf("%v, %v: %s", found, err, cmp.Diff(got, again))
		}
	})
}
