package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"puddle/internal/s3test"
	"puddle/rest/access/vended/sts"
)

// documentedPolicy is a policy of docs/object-stores.md, by the name that the page gives
// it, for a bucket.
func documentedPolicy(t *testing.T, name, bucket string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.FromSlash("../../docs/object-stores.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)`" + regexp.QuoteMeta(name) + "`[^`]*```json\n(.*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatalf("the page shows no %s", name)
	}
	return strings.ReplaceAll(string(shown[1]), ":::lake", ":::"+bucket)
}

// as has puddle ask the store with the rights of a policy and no others: its keys are
// those of a session, and come from the environment.
func (l *lake) as(store *s3test.Server, policy string) {
	l.Helper()
	issuer, err := sts.New(l.Context(), sts.Options{
		Region: s3test.Region, Endpoint: store.Endpoint, AccessKeyID: store.AccessKeyID, SecretAccessKey: store.SecretAccessKey,
		RoleARN: s3test.RoleARN, Life: time.Hour,
	})
	if err != nil {
		l.Fatal(err)
	}
	keys, err := issuer.Issue(l.Context(), "rights", policy)
	if err != nil {
		l.Fatal(err)
	}
	l.Setenv("AWS_ACCESS_KEY_ID", keys.AccessKeyID)
	l.Setenv("AWS_SECRET_ACCESS_KEY", keys.SecretAccessKey)
	l.Setenv("AWS_SESSION_TOKEN", keys.SessionToken)
}

// TestDocumentedRights: with exactly the rights that docs/object-stores.md grants, at a
// store that enforces them, puddle lives through all that it does there: it creates,
// commits, purges, loses its data folder, recovers and verifies. Lists may be narrowed, as the
// page says. Without one of them, or at another prefix, the probe tells.
func TestDocumentedRights(t *testing.T) {
	store := s3test.Start(t)
	l := newLake(t, store, store.Bucket(t), "journal: {archive: sync}\n")
	text, err := os.ReadFile(l.config())
	if err != nil {
		t.Fatal(err)
	}
	keyless := strings.Replace(string(text), fmt.Sprintf(", access-key-id: puddle, secret-access-key: %q", store.SecretAccessKey), "", 1)
	if err := os.WriteFile(l.config(), []byte(keyless), 0o600); err != nil {
		t.Fatal(err)
	}
	rights := documentedPolicy(t, "puddle-policy.json", l.bucket)
	l.as(store, rights)
	l.livesThrough()
	const lists = `"Resource": "arn:aws:s3:::`
	narrow := strings.Replace(rights, lists+l.bucket+`"`, lists+l.bucket+`", "Condition": {"StringLike": {"s3:prefix": "wh/*"}}`, 1)
	if narrow == rights {
		t.Fatal("nothing was narrowed")
	}
	l.as(store, narrow)
	l.puddle(codeDone, "config", "check", "--probe")
	for _, missing := range []string{`"s3:GetObject", `, `"s3:PutObject", `, `, "s3:DeleteObject"`, "s3:ListBucket", "/wh/"} {
		less := strings.Replace(rights, missing, map[string]string{"s3:ListBucket": "s3:GetBucketLocation", "/wh/": "/wh2/"}[missing], 1)
		if less == rights {
			t.Fatalf("the page does not grant %s", missing)
		}
		l.as(store, less)
		want := codeNoLook
		if missing == `, "s3:DeleteObject"` {
			want = codeWarnings
		}
		if said := l.puddle(want, "config", "check", "--probe"); !strings.Contains(said, "AccessDenied") && !strings.Contains(said, "refuses") {
			t.Errorf("without %s: %s", missing, said)
		}
	}
}

func (l *lake) livesThrough() {
	l.Helper()
	l.puddle(codeDone, "config", "check", "--probe")
	s := l.serve()
	for _, step := range []struct{ method, path, body string }{
		{http.MethodPost, "namespaces", `{"namespace":["s"]}`},
		{http.MethodPost, "namespaces/s/tables", `{"name":"gone","schema":{"type":"struct","fields":[]}}`},
		{http.MethodPost, "namespaces/s/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`},
		{http.MethodPost, "namespaces/s/tables/t", `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`},
		{http.MethodDelete, "namespaces/s/tables/gone?purgeRequested=true", ""},
		{http.MethodGet, "namespaces/s/tables/t", ""},
	} {
		if got := s.ask(step.method, step.path, step.body); got.status >= 300 || got.status == 0 {
			l.Fatalf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
	}
	l.until("1 removed", "log", "--kind", "table-purged")
	s.kill()
	if err := os.RemoveAll(l.data()); err != nil {
		l.Fatal(err)
	}
	l.puddle(codeDone, "recover")
	s = l.serve()
	if got := s.ask(http.MethodGet, "namespaces/s/tables/t", ""); got.table(l.T).Metadata.Properties["k"] != "v" {
		l.Errorf("recovered: %d %s", got.status, got.body)
	}
	l.puddle(codeDone, "verify", "--level", "4")
	s.kill()
}
