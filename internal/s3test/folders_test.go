package s3test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
)

// What lies in a folder is what the bucket has, whoever put it there.
func TestInFolders(t *testing.T) {
	root := t.TempDir()
	s := Start(t, InFolders(root))
	bucket := s.Bucket(t)
	b := s.backend
	put := func(key, text string, conditions *gofakes3.PutConditions) error {
		_, err := b.PutObject(bucket, key, map[string]string{"x-amz-meta-write": text}, strings.NewReader(text), int64(len(text)), conditions)
		return err
	}
	keys := func(prefix string, page gofakes3.ListBucketPage) (all []string) {
		t.Helper()
		list, err := b.ListBucket(bucket, &gofakes3.Prefix{HasPrefix: prefix != "", Prefix: prefix}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list.Contents {
			all = append(all, c.Key)
		}
		return all
	}
	got := func(key string) (text string, meta map[string]string) {
		t.Helper()
		o, err := b.GetObject(bucket, key, nil)
		if err != nil {
			return err.Error(), nil
		}
		data, err := io.ReadAll(o.Contents)
		if err != nil {
			t.Fatal(err)
		}
		return string(data), o.Metadata
	}
	never := "*"
	absent := &gofakes3.PutConditions{IfNoneMatch: &never}
	for key, text := range map[string]string{"wh/a": "1", "wh/ab/c": "2", "wh2/a": "3"} {
		if err := put(key, text, absent); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("wh/a", "4", absent); err == nil {
		t.Error("what is there was created")
	}
	if diff := cmp.Diff([]string{"wh/a", "wh/ab/c"}, keys("wh/", gofakes3.ListBucketPage{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"wh/ab/c"}, keys("wh/", gofakes3.ListBucketPage{Marker: "wh/a", HasMarker: true, MaxKeys: 1})); diff != "" {
		t.Error(diff)
	}
	if text, meta := got("wh/a"); text != "1" || meta["x-amz-meta-write"] != "1" {
		t.Errorf("%q with %v", text, meta)
	}
	if err := os.WriteFile(filepath.Join(root, bucket, "wh", "a"), []byte("by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, meta := got("wh/a"); text != "by hand" || meta["x-amz-meta-write"] != "" {
		t.Errorf("%q with %v", text, meta)
	}
	for range 2 { // also what is gone
		if _, err := b.DeleteObject(bucket, "wh/ab/c"); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, bucket, "wh", "ab")); err == nil {
		t.Error("a folder without a file is there")
	}
	if text, _ := got("wh/ab/c"); !strings.Contains(text, "NoSuchKey") {
		t.Errorf("it is there: %q", text)
	}
}
