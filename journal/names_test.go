package journal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestCase83_Names: what cannot be told apart or shown is refused; all else is
// its exact bytes.
func TestCase83_Names(t *testing.T) {
	for _, bad := range []string{
		"", ".", "..", "\xff", "\xe0\x80\x80", "a\xed\xa0\x80b", "\x00", "a\nb", "\t", "\x1f", "\x7f", "\u0085", strings.Repeat("n", journal.MaxLevelBytes+1),
	} {
		for _, err := range []error{
			journal.Namespace{"a", bad}.Check(),
			journal.Identifier{Namespace: journal.Namespace{"a"}, Name: bad}.Check(),
		} {
			if !errors.Is(err, journal.ErrName) {
				t.Errorf("%.20q: %v", bad, err)
			}
		}
	}
	for _, good := range []string{
		"\u00e9", "e\u0301", "\u202e", "\u2028", "\U0001F986", "...", ".a", " ", "a/b", `\`, "%00", "\uFFFD", strings.Repeat("n", journal.MaxLevelBytes),
	} {
		id := journal.Identifier{Namespace: journal.Namespace{good}, Name: good}
		if err := id.Check(); err != nil {
			t.Errorf("%.20q: %v", good, err)
		}
	}
	nfc, nfd := journal.Namespace{"\u00e9"}, journal.Namespace{"e\u0301"}
	if nfc.Equal(nfd) || nfc.Key() == nfd.Key() || nfc.Equal(journal.Namespace{"\u00c9"}) {
		t.Error("names are folded")
	}
}

func TestLimitsOfNamesAreNamed(t *testing.T) {
	levels := slices.Repeat([]string{"n"}, journal.MaxLevels)
	if err := journal.Namespace(levels).Check(); err != nil {
		t.Error(err)
	}
	wide := slices.Repeat([]string{strings.Repeat("n", journal.MaxLevelBytes)}, 8)
	if err := journal.Namespace(wide).Check(); err != nil {
		t.Error(err)
	}
	for limit, err := range map[string]error{
		"32":         journal.Namespace(append(levels, "n")).Check(),
		"1024":       journal.Namespace{strings.Repeat("\u00e9", 513)}.Check(),
		"8192":       journal.Identifier{Namespace: wide, Name: "n"}.Check(),
		"one level":  journal.Namespace{}.Check(),
		"reserved":   journal.Namespace{".."}.Check(),
		"name is":    journal.Identifier{Namespace: journal.Namespace{"a"}}.Check(),
		"is empty":   journal.Namespace{"a", ""}.Check(),
		"a control ": journal.Namespace{"a\x1fb"}.Check(),
	} {
		if !errors.Is(err, journal.ErrName) || !strings.Contains(err.Error(), limit) {
			t.Errorf("%v does not name %q", err, limit)
		}
	}
}

// TestCase96_KeysAreExact: no two names share a key, and no name is found by
// another's prefix or wild card.
func TestCase96_KeysAreExact(t *testing.T) {
	names := []journal.Namespace{
		{"a.b"}, {"a", "b"}, {"a"}, {"a%"}, {"a_b"}, {"a", "b.c"}, {"a.b", "c"}, {"a", "b", "c"}, {"my_ns_1_2"}, {"my_ns_112_1"}, {"test.auto_rag"}, {"test_auto_rag"},
	}
	for i, a := range names {
		for k, b := range names {
			if (a.Key() == b.Key()) != (i == k) || a.Equal(b) != (i == k) {
				t.Errorf("%q and %q", a, b)
			}
		}
	}
	table, namespace := journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "b.c"}, journal.Identifier{Namespace: journal.Namespace{"a", "b"}, Name: "c"}
	if table.Key() == namespace.Key() || table.Equal(namespace) || table.String() != namespace.String() {
		t.Errorf("%q and %q", table, namespace)
	}
}

func TestNamespacePaths(t *testing.T) {
	n := journal.Namespace{"a", "b.c"}
	if n.String() != "a.b.c" || n.Name() != "b.c" || !n.Parent().Equal(journal.Namespace{"a"}) || n.IsRoot() {
		t.Errorf("%q has the parent %q and name %q", n, n.Parent(), n.Name())
	}
	var root journal.Namespace
	if !root.IsRoot() || root.Name() != "" || !root.Parent().IsRoot() || !n.Parent().Parent().IsRoot() || root.Key() != "" {
		t.Error("the root is odd")
	}
	if s := (journal.Identifier{Name: "t"}).String(); s != "t" {
		t.Errorf("identifier in the root = %q", s)
	}
}

func drawIdentifier(t *rapid.T) journal.Identifier {
	name := journaltest.Name()
	levels := rapid.SliceOfN(name, 1, 3).Draw(t, "namespace")
	return journal.Identifier{Namespace: levels, Name: name.Draw(t, "name")}
}

func TestNamesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := drawIdentifier(t)
		if got := journal.NamespaceOfKey(id.Namespace.Key()); !got.Equal(id.Namespace) {
			t.Fatalf("namespace of key %q = %q", id.Namespace.Key(), got)
		}
		got, err := journal.ParseIdentifier(id.Quoted())
		if err != nil || !got.Equal(id) {
			t.Fatalf("%q reads back as %q, %v", id.Quoted(), got, err)
		}
		if other := drawIdentifier(t); (other.Quoted() == id.Quoted()) != other.Equal(id) || (other.Key() == id.Key()) != other.Equal(id) {
			t.Fatalf("%q and %q", id, other)
		}
	})
	if got := journal.NamespaceOfKey(""); !got.IsRoot() {
		t.Errorf("namespace of the empty key = %q", got)
	}
}

func TestParseIdentifier(t *testing.T) {
	for text, want := range map[string][]string{
		"a.b": {"a", "b"}, "a.b.c": {"a", "b", "c"}, "`a.b`.c": {"a.b", "c"}, "a.`b``c`": {"a", "b`c"}, "a.b c": {"a", "b c"}, "a.```b`": {"a", "`b"},
	} {
		got, err := journal.ParseIdentifier(text)
		if err != nil || !slices.Equal(append(slices.Clone(got.Namespace), got.Name), want) {
			t.Errorf("%s reads as %q, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "a", ".", "a.", ".a", "a..b", "`a.b", "`a`", "a.``", "a.`b`c", "a.b`c", "``.a", "a.\n"} {
		if got, err := journal.ParseIdentifier(bad); !errors.Is(err, journal.ErrName) {
			t.Errorf("%q reads as %q, %v", bad, got, err)
		}
	}
}
