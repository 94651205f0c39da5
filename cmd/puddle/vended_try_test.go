package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/internal/s3test"
)

// vendingAt is a configuration with vended credentials, in a file.
func vendingAt(t *testing.T, server *s3test.Server, prefix, keys string) (config.Config, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "puddle.yaml")
	text := fmt.Sprintf("data-dir: %s/d\nwarehouses: {default: {location: %q, s3: {region: %s, endpoint: %q, path-style-access: true, access-key-id: %q, secret-access-key: %q, vended-credentials: {%s}}}}\n",
		dir, "s3://"+server.Bucket(t)+"/"+prefix, s3test.Region, server.Endpoint, server.AccessKeyID, server.SecretAccessKey, keys)
	return loadConfig(t, file, text), file
}

const itsRole = "enabled: true, role-arn: '" + s3test.RoleARN + "'"

// What keeps STS from making credentials is a finding of the probe, with its word and what
// to do.
func TestProbeAsksSTS(t *testing.T) {
	for name, test := range map[string]struct {
		keys, prefix string
		status, code int
		want         []string
	}{
		"holds":    {itsRole, "wh", 0, codeDone, []string{"vended-credentials of default: holds"}},
		"no STS":   {itsRole, "wh", http.StatusMethodNotAllowed, codeFindings, []string{"default: refused", "there is no STS at http://"}},
		"refused":  {itsRole, "wh", http.StatusForbidden, codeFindings, []string{"default: refused", "is there the role " + s3test.RoleARN, "trust policy"}},
		"no role":  {"enabled: true", "wh", 0, codeFindings, []string{"default: refused", "role-arn is missing"}},
		"away":     {itsRole + ", sts-endpoint: 'http://127.0.0.1:1'", "wh", 0, codeFindings, []string{"default: unreached", "is sts-endpoint right (asked: http://127.0.0.1:1)"}},
		"unfit":    {itsRole, "w*h", 0, codeFindings, []string{"warning: default: vended-credentials: ", "default: unfit", "move the warehouse"}},
		"not on":   {"role-arn: '" + s3test.RoleARN + "'", "wh", 0, codeDone, []string{"is not enabled: no client gets credentials; set enabled: true"}},
		"only off": {"enabled: false", "wh", 0, codeDone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s3test.Start(t)
			server.FailSTS(test.status)
			_, file := vendingAt(t, server, test.prefix, test.keys)
			out := report(t, file, test.code, "config", "check", "--probe")
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not said: %s", want, out)
				}
			}
			if vends := strings.Contains(out, "vended-credentials"); vends != (test.want != nil) {
				t.Errorf("of vended credentials it says: %s", out)
			}
		})
	}
}

// The report for scripts has code and verdict.
func TestProbeAsksSTSForScripts(t *testing.T) {
	server := s3test.Start(t)
	server.FailSTS(http.StatusForbidden)
	_, file := vendingAt(t, server, "wh", itsRole)
	out := report(t, file, codeFindings, "config", "check", "--probe", "--json")
	for _, want := range []string{`"vended-credentials"`, `"verdict"`, `"refused"`, `"code"`, `"ServiceUnavailable"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

// A start asks once, beside everything else, and is not refused. What it met is a warning
// until credentials are made.
func TestAStartAsksSTS(t *testing.T) {
	server, log := s3test.Start(t), &logged{}
	server.FailSTS(http.StatusMethodNotAllowed)
	c, file := vendingAt(t, server, "wh", itsRole)
	v := &vending{running: startedWith(t, c, zerolog.New(log)), store: server, log: log}
	v.node.background.Wait()
	const said = "no client gets credentials"
	if out := report(t, file, codeWarnings, "status"); !strings.Contains(out, "warning: default: vended-credentials: "+said) || strings.Count(log.String(), said) != 1 {
		t.Errorf("status: %s\nlog: %s", out, log)
	}
	v.make("", `{"namespace":["a"]}`)
	v.make("/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`)
	if status := v.ready(); status != http.StatusOK {
		t.Errorf("ready is %d", status)
	}
	server.FailSTS(0)
	v.keys(http.MethodGet, "namespaces/a/tables/t", "")
	report(t, file, codeDone, "status")
	if !strings.Contains(log.String(), "well again") {
		t.Errorf("the log does not tell the end: %s", log)
	}
	v.stopped()
}
