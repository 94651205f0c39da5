package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Case 108: a panic is answered in words, and only the log learns what it was.
func TestCase108_Panics(t *testing.T) {
	f := serve(t, func(o *Options) { o.Ready = func(context.Context) error { panic("secret of the server") } })
	message := f.fails(f.do("GET", "/readyz", ""), 500, "InternalServerError")
	entry := f.logged()
	if strings.Contains(message, "secret") || !strings.Contains(entry.Err.Error(), "secret") || !strings.Contains(string(entry.Stack), "errors_test.go") {
		t.Errorf("message %q, logged %v, stack %.200s", message, entry.Err, entry.Stack)
	}
	f.ns("n")
	f.table("n", "t")
	f.trouble.instead = func() error { panic("in the middle of a commit") }
	f.fails(f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`), 500, "CommitStateUnknownException")
	f.trouble.instead = nil
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t", ""))
}

// Each of the catalog's codes has a status of its own, and the ones that clients
// read as "unknown" on commits are used for nothing else there.
func TestFaults(t *testing.T) {
	codes := []catalog.Code{
		catalog.NoSuchNamespace, catalog.NoSuchTable, catalog.NoSuchView, catalog.FileMissing, catalog.AlreadyExists, catalog.NamespaceNotEmpty,
		catalog.CommitFailed, catalog.Invalid, catalog.IllegalArgument, catalog.Unprocessable, catalog.Unsupported, catalog.Unsafe, catalog.Unavailable, catalog.ReadOnly, catalog.Full, catalog.OutcomeUnknown,
	}
	if len(codes) != len(faults) {
		t.Errorf("%d codes, %d faults", len(codes), len(faults))
	}
	for _, code := range codes {
		err := fmt.Errorf("wrapped: %w", &catalog.Error{Code: code, Message: "text", Err: errors.New("behind")})
		plain, commit := failed(err, false), failed(err, true)
		if plain.status < 400 || plain.kind == "" || plain.message != "text" || plain.err == nil {
			t.Errorf("%s: %+v", code, plain)
		}
		if unknown := commit.status >= 500 && commit.status != http.StatusInsufficientStorage; unknown != (code == catalog.OutcomeUnknown) {
			t.Errorf("%s on a commit: %d", code, commit.status)
		}
	}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded} {
		if plain, commit := failed(err, false), failed(err, true); plain.status != 503 || commit.status != 429 {
			t.Errorf("%v: %d, on a commit %d", err, plain.status, commit.status)
		}
	}
	if f := failed(&catalog.Error{Code: "new", Message: "secret"}, false); f.status != 500 || f.message == "secret" {
		t.Errorf("an unknown code: %+v", f)
	}
}

// Interface §5.10: what was surely not done may be tried again, and what nobody
// knows is said to be unknown.
func TestCommitsThatCannotBeRecorded(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	commit := func() answer {
		return f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`)
	}
	f.trouble.instead = func() error { return errors.New("disk full, says /secret/path") }
	a := commit()
	message := f.fails(a, 429, "SlowDownException")
	if a.Header.Get("Retry-After") == "" || strings.Contains(message, "secret") || f.logged().Err == nil {
		t.Errorf("Retry-After %q, message %q, logged %v", a.Header.Get("Retry-After"), message, f.logged().Err)
	}
	a = f.do("DELETE", v1+"/namespaces/n/tables/t", "")
	f.fails(a, 503, "SlowDownException")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	f.trouble.instead = func() error { return fmt.Errorf("write journal: %w", syscall.ENOSPC) }
	for _, a := range []answer{commit(), f.do("DELETE", v1+"/namespaces/n/tables/t", "")} { // case 156
		if message := f.fails(a, 507, "InsufficientStorageException"); !strings.Contains(message, "disk is full") || a.Header.Get("Retry-After") == "" {
			t.Errorf("message %q, Retry-After %q", message, a.Header.Get("Retry-After"))
		}
	}
	f.trouble.instead = func() error { return journal.ErrUnknownOutcome }
	f.fails(commit(), 500, "CommitStateUnknownException")
}
