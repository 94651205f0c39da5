package rest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Status tells what a warehouse is in, and what that was found to do.
func TestStatusTellsOfStorage(t *testing.T) {
	ahead := -1500 * time.Millisecond
	for want, is := range map[string]Storage{
		``:                {},
		`{"kind":"file"}`: {Kind: "file"},
		`{"kind":"s3","conditional-writes":"hold","probed-at":"2026-09-24T10:00:00.000Z","clock-ahead-seconds":-1.5}`: {Kind: "s3", At: epoch, Conditional: true, Ahead: &ahead},
		`{"kind":"s3","conditional-writes":"ignored","probed-at":"2026-09-24T10:00:00.000Z"}`:                         {Kind: "s3", At: epoch, Warnings: []string{"it is slow"}},
	} {
		f := serve(t, func(o *Options) { o.Warehouses[0].Storage = is })
		var got struct {
			Warehouses []struct{ Storage json.RawMessage }
			Warnings   []struct{ Warehouse, Message string }
		}
		f.must(200, f.do("GET", "/api/puddle/v1/status", "")).into(t, &got)
		if diff := cmp.Diff(want, string(got.Warehouses[0].Storage)); diff != "" {
			t.Errorf("storage: %s", diff)
		}
		if len(got.Warnings) != len(is.Warnings) || len(is.Warnings) > 0 && got.Warnings[0].Message != is.Warnings[0] {
			t.Errorf("warnings: %+v", got.Warnings)
		}
	}
}
