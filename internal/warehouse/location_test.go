package warehouse_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
)

func parse(t rapid.TB, s string) warehouse.Location {
	t.Helper()
	location, err := warehouse.ParseLocation(s)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func TestCase27_FileSpellingsAreEqual(t *testing.T) {
	for _, s := range []string{"file:/tmp/w", "file:///tmp/w", "/tmp/w", "FILE:///tmp/w", "file:/tmp/w/", "file:///tmp/w/", "/tmp/w/"} {
		if got := parse(t, s); got != parse(t, "/tmp/w") || got.Path() != "/tmp/w/" || got.Family() != warehouse.FamilyFile {
			t.Errorf("%q is %q (%s)", s, got.Path(), got.Family())
		}
	}
	for _, s := range []string{"file://tmp/w", "file://localhost/tmp/w", "file://host", "file:tmp/w", "file:", "file:/", "file:///", "file:////tmp/w", "//tmp/w"} {
		wantInvalid(t, s)
	}
}

func TestCase25_S3SchemesAreEqual(t *testing.T) {
	for _, s := range []string{"s3://b/w", "s3a://b/w", "s3n://b/w", "S3://b/w", "s3://b/w/"} {
		if got := parse(t, s); got != parse(t, "s3://b/w") || got.Path() != "//b/w/" || got.Family() != warehouse.FamilyS3 {
			t.Errorf("%q is %q (%s)", s, got.Path(), got.Family())
		}
	}
	if got := parse(t, "s3a://bucket").Path(); got != "//bucket/" {
		t.Errorf("a bucket alone is %q", got)
	}
	for _, s := range []string{"s3:", "s3:/b/w", "s3://", "s3:///w", "s3://../w", "s3://key:secret@b/w", "s3://b:80/w", "s3://ü/w"} {
		wantInvalid(t, s)
	}
	for _, beyond := range []string{"\ufffe", "\uffff"} { // what XML writes as U+FFFD, which is another object's
		wantInvalid(t, "s3://b/w"+beyond)
		if parse(t, "/w"+beyond) == parse(t, "/w\ufffd") {
			t.Errorf("%q is a folder of its own", beyond)
		}
	}
	if parse(t, "s3://b/w") == parse(t, "s3://B/w") || parse(t, "s3://b/w") == parse(t, "s3://b/W") {
		t.Error("only schemes are compared without case")
	}
	if parse(t, "s3://b/w").Within(parse(t, "/b")) || warehouse.Overlaps("/b/", "//b/") {
		t.Error("a bucket is no folder")
	}
}

func TestCase138_DotSegments(t *testing.T) {
	for _, rest := range []string{
		"/w/a/../b", "/w/./a", "/w/..", "/w/.", "/../w", "/w//a", "/w/a//", "//w", "/w/a\x00b", "/w/a\nb", "/w/\xff",
		`/w/a\..\b`, "/w/a#/../b", "/w/a?/./b", "/w/a?//b",
	} {
		wantInvalid(t, rest)
		wantInvalid(t, "file:"+rest)
		wantInvalid(t, "file://"+rest)
		wantInvalid(t, "s3://b"+rest)
	}
	for _, rest := range []string{"/w/%2e%2e/b", "/w/%2E", "/w/.%2e/b", "/w/a/..%2fb", "/w/a%2F..", "/w/%2e%2e%2Fb", "/w/%zz%2f%2e%2e"} {
		wantInvalid(t, "file://"+rest)
		if got := parse(t, "s3://b"+rest).Path(); got != "//b"+rest+"/" {
			t.Errorf("an object key is literal, but %q is %q", rest, got)
		}
	}
	wantInvalid(t, "")
	wantInvalid(t, "w/a")
	wantInvalid(t, "gs://b/w")
	wantInvalid(t, "https://b/w")
}

func TestLiteralText(t *testing.T) {
	for _, path := range []string{"/w/a b/", "/w/a%20b/", "/w/a%/", "/w/a%2fb/", "/w/a+b/", "/w/a:b/", "/w/ä/", "/w/.../", "/w/.hidden/", "/w/a%2e/",
		"/w/a#b?c/", "/w/?/", "/w/#/x/", "/w/a%23b/"} {
		if got := parse(t, "file://"+path).Path(); got != path {
			t.Errorf("%q is %q", path, got)
		}
	}
	if parse(t, "/w/a%20b") == parse(t, "/w/a b") {
		t.Error("a percent sign stands for itself")
	}
}

// What "?" and "#" leave of a location, to clients that end a path there.
func TestCut(t *testing.T) {
	for s, want := range map[string]string{
		"/w/a#b": "/w/a/", "/w/a?b": "/w/a/", "/w/a?b#c/d": "/w/a/", "/w/a#b?c/d": "/w/a/", "/w/ns/#x": "/w/ns/", "/w/t/?/x": "/w/t/",
		"/#": "/", "s3://b/w/a#b/c": "//b/w/a/", "s3a://b/?x": "//b/", "/w/a": "", "/w/a%23b%3Fc": "", "s3://b/w": "",
	} {
		cut, ok := parse(t, s).Cut()
		if ok != (want != "") || cut.Path() != want {
			t.Errorf("%q is cut to %q, %v; want %q", s, cut.Path(), ok, want)
		}
	}
	if got := parse(t, "file:///w/a#b"); got == parse(t, "/w/a") || got.Within(parse(t, "/w/a")) {
		t.Error("a location is the whole of what it says")
	}
	wantInvalid(t, "s3://b#x/w")
	wantInvalid(t, "s3://b?x")
}

func TestString(t *testing.T) {
	for s, want := range map[string]string{"file:///w/a/": "/w/a", "s3a://b/w/": "s3://b/w", "s3://b": "s3://b", "/w/a#b": "/w/a#b"} {
		if got := parse(t, s).String(); got != want {
			t.Errorf("%q is shown as %q", s, got)
		}
	}
}

func TestLocationLimit(t *testing.T) {
	s := "s3://b/" + strings.Repeat("x", warehouse.MaxLocation-len("s3://b/"))
	parse(t, s)
	wantInvalid(t, s+"x")
}

func wantInvalid(t *testing.T, s string) {
	t.Helper()
	if got, err := warehouse.ParseLocation(s); !errors.Is(err, warehouse.ErrInvalidLocation) {
		t.Errorf("ParseLocation(%q) = %q, %v", s, got.Path(), err)
	}
}

func TestCase130_WholeSegments(t *testing.T) {
	for _, test := range []struct {
		a, b            string
		within, overlap bool // a within b
	}{
		{"/w/a", "/w/a", true, true},
		{"/w/a/b", "/w/a", true, true},
		{"/w/a", "/w/a/b", false, true},
		{"/w/ab", "/w/a", false, false},
		{"/w/a-1", "/w/a", false, false},
		{"/w/a%20b", "/w/a", false, false},
		{"/w/aabbcc", "/w/aabb", false, false},
		{"s3://b2/w", "s3://b/w", false, false},
		{"s3://b2", "s3://b", false, false},
		{"s3a://b/w/t", "s3://b", true, true},
		{"file:/w/a/", "/w", true, true},
	} {
		a, b := parse(t, test.a), parse(t, test.b)
		if got := a.Within(b); got != test.within {
			t.Errorf("%q within %q: %v", test.a, test.b, got)
		}
		if warehouse.Overlaps(a.Path(), b.Path()) != test.overlap || warehouse.Overlaps(b.Path(), a.Path()) != test.overlap {
			t.Errorf("%q overlaps %q: not %v", test.a, test.b, test.overlap)
		}
	}
	if parse(t, "/w").Within(warehouse.Location{}) {
		t.Error("nothing is within the zero location")
	}
}

func TestCase141_ReservedArea(t *testing.T) {
	root := parse(t, "file:///w")
	for s, want := range map[string]bool{
		"/w/_puddle": true, "/w/_puddle/x": true, "/w/_PUDDLE": true, "/w/_Puddle/x/": true, "file:/w/%5fpuddle/x": true,
		"/w/_puddle%2Fx": true, "/w/%2F_puddle": true,
		"/w": false, "/w/a": false, "/w/a/_puddle": false, "/w/_puddles": false, "/w/_puddle-1": false, "/v/_puddle": false, "/_puddle": false,
	} {
		if got := parse(t, s).Reserved(root); got != want {
			t.Errorf("%q reserved: %v", s, got)
		}
	}
	if !parse(t, "s3a://b/p/_puddle/x").Reserved(parse(t, "s3://b/p")) {
		t.Error("reserved across s3 schemes")
	}
	wantInvalid(t, "/w//_puddle/x")
	wantInvalid(t, "/w/x/../_puddle")
}

// TestLawOverlap: two places overlap exactly when one is the other or an
// ancestor of it, which is how a table of places looks them up.
func TestLawOverlap(t *testing.T) {
	segments := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ab", "a-", "b"}), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := segments.Draw(t, "a"), segments.Draw(t, "b")
		want := true
		for i := range min(len(a), len(b)) {
			want = want && a[i] == b[i]
		}
		left, right := parse(t, "/"+strings.Join(a, "/")), parse(t, "s3://x/"+strings.Join(b, "/"))
		if warehouse.Overlaps(left.Path(), right.Path()) {
			t.Errorf("%q overlaps %q", left.Path(), right.Path())
		}
		right = parse(t, "file:/"+strings.Join(b, "/"))
		if got := warehouse.Overlaps(left.Path(), right.Path()); got != want {
			t.Errorf("%q overlaps %q: %v", left.Path(), right.Path(), got)
		}
		if got := left.Within(right) || right.Within(left); got != want {
			t.Errorf("%q within %q: %v", left.Path(), right.Path(), got)
		}
	})
}

func FuzzParseLocation(f *testing.F) {
	for _, s := range []string{"file:///w/a", "s3a://b/w", "/w/%2e%2e", "s3://b/w?x", "/w/#/a", "file://h/w"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		location, err := warehouse.ParseLocation(s)
		if err != nil {
			return
		}
		path := location.String()
		if again, err := warehouse.ParseLocation(path); err != nil || again != location {
			t.Errorf("%q: %q is %q, %v", s, path, again.Path(), err)
		}
		if inside := strings.TrimLeft(path, "/"); strings.Contains(inside+"/", "/../") || strings.Contains(location.Path()[2:], "//") {
			t.Errorf("%q is %q", s, path)
		}
		if cut, ok := location.Cut(); ok && (!strings.HasPrefix(location.Path(), strings.TrimSuffix(cut.Path(), "/")) || strings.ContainsAny(cut.Path(), "?#")) {
			t.Errorf("%q is cut to %q", s, cut.Path())
		}
	})
}
