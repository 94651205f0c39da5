package rest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/journal"
)

// anyLevel draws what may be a level of a namespace.
var anyLevel = rapid.StringMatching(`[ -~é-ü中-乍😀]{1,12}`).Filter(func(s string) bool { return s != "." && s != ".." })

// writers are the ways clients write a name into a path, and what a plus means
// in each.
var writers = map[string]struct {
	write func(string) string
	as    plus
}{
	"as a path, plus bare":     {url.PathEscape, plusIsPlus},
	"as a path, plus escaped":  {func(s string) string { return strings.ReplaceAll(url.PathEscape(s), "+", "%2B") }, plusIsSpace},
	"as a form, space as plus": {url.QueryEscape, plusIsSpace},
	"every byte escaped": {func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteString(strings.ToLower(escaped(s[i])))
		}
		return b.String()
	}, plusIsPlus},
}

// Cases 78 and 80: every name comes through a path as it is, however it is
// written there, and the levels stay apart.
func TestNamesRoundTripThroughPaths(t *testing.T) {
	for name, w := range writers {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			namespace := journal.Namespace(rapid.SliceOfN(anyLevel, 1, 4).Draw(t, "levels"))
			segments := make([]string, len(namespace))
			for i, level := range namespace {
				segments[i] = w.write(level)
			}
			request, err := http.NewRequest("GET", "http://host/x/"+strings.Join(segments, "%1F")+"/y", nil)
			if err != nil {
				t.Fatal(err)
			}
			segment := strings.Split(rawPath(request.URL), "/")[2]
			got, ok := levels(segment, w.as)
			if !ok || !got.Equal(namespace) {
				t.Fatalf("%q became %q, %v", namespace, got, ok)
			}
		}))
	}
}

// A client that leaves characters unescaped that no URL may hold must not lose
// the escaped slashes beside them.
func TestRawPathKeepsEscapedSlashes(t *testing.T) {
	for sent, want := range map[string]string{
		"/a%2Fb":       "/a%2Fb",
		"/a%2fb+%20":   "/a%2fb+%20",
		"/a%2Fb|c\"é^": "/a%2Fb%7Cc%22%C3%A9%5E",
		"/a//../b":     "/a//../b",
		"/é":           "/%C3%A9",
	} {
		u, err := url.ParseRequestURI(sent)
		if err != nil {
			t.Fatal(err)
		}
		if got := rawPath(u); got != want {
			t.Errorf("%q became %q, want %q", sent, got, want)
		}
		if u.RawPath = rawPath(u); u.EscapedPath() != want {
			t.Errorf("%q: the router would see %q", sent, u.EscapedPath())
		}
	}
}

// Case 78: an empty level is no level.
func TestCase78_EmptyLevels(t *testing.T) {
	for segment, want := range map[string]journal.Namespace{
		"a":         {"a"},
		"a%1Fb":     {"a", "b"},
		"a%1fb":     {"a", "b"},
		"a.b":       {"a.b"},
		"a%00b":     {"a\x00b"},
		"a%251Fb":   {"a%1Fb"},
		"a%2Fb%1Fc": {"a/b", "c"},
		"a%1F":      nil,
		"%1Fb":      nil,
		"a%1F%1Fb":  nil,
	} {
		got, ok := levels(segment, plusIsPlus)
		if ok != (want != nil) || ok && !got.Equal(want) {
			t.Errorf("%q: %q, %v", segment, got, ok)
		}
	}
}

func TestParentParameter(t *testing.T) {
	for _, c := range []struct {
		value       string
		exact       journal.Namespace
		ok          bool
		again       journal.Namespace
		isDifferent bool
	}{
		{"", nil, true, nil, false},
		{"a", journal.Namespace{"a"}, true, nil, false},
		{"a\x1fb", journal.Namespace{"a", "b"}, true, nil, false},
		{"a%20b\x1fc", journal.Namespace{"a%20b", "c"}, true, journal.Namespace{"a b", "c"}, true},
		{"a%1Fb", journal.Namespace{"a%1Fb"}, true, journal.Namespace{"a", "b"}, true},
		{"100%", journal.Namespace{"100%"}, true, journal.Namespace{"100%"}, false},
		{"a%2Bb+c", journal.Namespace{"a%2Bb+c"}, true, journal.Namespace{"a+b+c"}, true},
		{"a\x1f", nil, false, nil, false},
		{"\x1fa", nil, false, nil, false},
	} {
		exact, ok := parent(c.value)
		if ok != c.ok || !cmp.Equal(exact, c.exact) {
			t.Errorf("%q: %q, %v", c.value, exact, ok)
		}
		if again, differs := parentDecodedAgain(c.value); differs != c.isDifferent || differs && !again.Equal(c.again) {
			t.Errorf("%q again: %q, %v", c.value, again, differs)
		}
	}
}
