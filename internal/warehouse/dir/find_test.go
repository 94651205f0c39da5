package dir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"puddle/internal/warehouse/dir"
)

// TestFind finds what is wanted by name, temporary files too, in all folders that can
// be read, and follows no links.
func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/metadata/1.json", "a/metadata/.puddle-tmp-X", "a/data/f", "b.json", "closed/2.json", "z/y/x/3.json"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte("12345"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "4.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"linked": outside, "5.json": filepath.Join(root, "b.json")} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a/metadata/.puddle-tmp-X", "a/metadata/1.json", "b.json", "closed/2.json", "z/y/x/3.json"}
	if err := os.Chmod(filepath.Join(root, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "closed"), 0o755) })
	if _, err := os.ReadDir(filepath.Join(root, "closed")); err != nil { // not so for root
		want = slices.DeleteFunc(want, func(s string) bool { return strings.HasPrefix(s, "closed") })
	}
	s, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wants := func(name string) bool {
		return strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".puddle-tmp-")
	}
	var got []string
	for e, err := range s.Find(t.Context(), wants) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Size != 5 || e.Modified == 0 {
			t.Errorf("%+v", e)
		}
		got = append(got, e.Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	for range s.Find(t.Context(), wants) {
		break
	}
}
