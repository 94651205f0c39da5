package rest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestTranscripts plays what clients send and compares what they get, to the
// byte but for masked ids. A transcript is text: "> " begins a request and, in
// the lines after it, its headers; what follows up to "< " is its body; what
// follows that is the answer, which -update rewrites. "# " is a remark.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(script))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(script), got); diff != "" {
				t.Errorf("(-transcript +now; -update rewrites):\n%s", diff)
			}
		})
	}
}

// play answers the transcript with its answers as they are now.
func play(t *testing.T, script string) string {
	f, ids := serve(t, nil), masks{}
	var out strings.Builder
	for _, block := range strings.Split(strings.TrimSpace(script), "\n\n") {
		remarks, request := cutRequest(block)
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s%s", remarks, request.text)
		if request.method != "" {
			a := f.do(request.method, ids.unmask(request.target), ids.unmask(request.body), request.headers...)
			out.WriteString(ids.mask(wireText(a)))
		}
	}
	return out.String()
}

// scripted is one request of a transcript.
type scripted struct {
	text, method, target, body string
	headers                    []string
}

func cutRequest(block string) (remarks string, r scripted) {
	var body []string
	for _, line := range strings.Split(block, "\n") {
		if strings.HasPrefix(line, "< ") {
			break
		}
		if strings.HasPrefix(line, "# ") {
			remarks += line + "\n"
			continue
		}
		r.text += line + "\n"
		rest, head := strings.CutPrefix(line, "> ")
		switch {
		case head && r.method == "":
			r.method, r.target, _ = strings.Cut(rest, " ")
		case head:
			r.headers = append(r.headers, rest)
		default:
			body = append(body, line)
		}
	}
	r.body = strings.Join(body, "\n")
	return remarks, r
}

// wireText is an answer as a transcript shows it: status, the headers that say
// something, and the body.
func wireText(a answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "< %d\n", a.StatusCode)
	for _, key := range []string{"Allow", "Content-Type", "Retry-After", "Www-Authenticate"} {
		if value := a.Header.Get(key); value != "" {
			fmt.Fprintf(&b, "< %s: %s\n", key, value)
		}
	}
	if tag := a.tag(); tag != "" {
		fmt.Fprintf(&b, "< ETag: %s\n", tag)
	}
	if len(a.body) > 0 {
		body := jsontext.Value(bytes.Clone(a.body))
		if err := body.Indent(jsontext.WithIndent("  ")); err != nil {
			body = a.body
		}
		fmt.Fprintf(&b, "%s\n", body)
	}
	return b.String()
}

// masks gives every id of a transcript a short name, in order of appearance, and
// takes it back in later requests.
type masks []string

var (
	anID     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b`)
	aMask    = regexp.MustCompile(`ID\d+\b`)
	sizes    = regexp.MustCompile(`"size": \d+`)
	maskText = "ID%d"
)

func (m *masks) mask(s string) string {
	s = anID.ReplaceAllStringFunc(s, func(id string) string {
		at := slices.Index(*m, id)
		if at < 0 {
			at = len(*m)
			*m = append(*m, id)
		}
		return fmt.Sprintf(maskText, at+1)
	})
	return sizes.ReplaceAllString(s, `"size": 0`)
}

func (m *masks) unmask(s string) string {
	return aMask.ReplaceAllStringFunc(s, func(name string) string {
		var n int
		if _, err := fmt.Sscanf(name, maskText, &n); err != nil || n < 1 || n > len(*m) {
			return name
		}
		return (*m)[n-1]
	})
}
