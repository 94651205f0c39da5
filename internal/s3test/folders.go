package s3test

import (
	"bytes"
	"crypto/md5" //nolint:gosec // ETags are MD5 sums
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/johannesboyne/gofakes3"
)

// InFolders keeps buckets as folders right below root, so that a test can look at objects,
// change, copy and lose them with the tools that it uses for files. What is done so is seen
// at the next request. A key and one below it are not both there.
func InFolders(root string) Option {
	return func(s *Server) { s.backend = &folders{root: root, written: map[string]object{}} }
}

// folders are buckets that are folders of a file system.
type folders struct {
	root string

	mu      sync.Mutex
	written map[string]object // guarded by mu: by path, what was put and with which metadata
}

// object is what was known of a file when it was last looked at.
type object struct {
	size     int64
	modified time.Time
	hash     []byte
	meta     map[string]string
}

var _ gofakes3.Backend = (*folders)(nil)

// staging begins the names of what is being put.
const staging = ".s3test-"

func (f *folders) path(bucket, key string) string {
	return filepath.Join(f.root, bucket, filepath.FromSlash(key))
}

// known is what is known of a file, whose bytes are read if it is not the one that was put.
func (f *folders) known(file string, info fs.FileInfo) (object, error) {
	o := f.written[file]
	if o.hash != nil && o.size == info.Size() && o.modified.Equal(info.ModTime()) {
		return o, nil
	}
	data, err := os.ReadFile(file)
	sum := md5.Sum(data) //nolint:gosec // see above
	o = object{size: int64(len(data)), modified: info.ModTime(), hash: sum[:]}
	f.written[file] = o
	return o, err
}

// ListBuckets implements gofakes3.Backend.
func (f *folders) ListBuckets() (all []gofakes3.BucketInfo, err error) {
	entries, err := os.ReadDir(f.root)
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, gofakes3.BucketInfo{Name: e.Name()})
		}
	}
	return all, err
}

// ListBucket implements gofakes3.Backend.
func (f *folders) ListBucket(bucket string, prefix *gofakes3.Prefix, page gofakes3.ListBucketPage) (*gofakes3.ObjectList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys, err := f.keys(bucket, prefix)
	if err != nil {
		return nil, err
	}
	list := gofakes3.NewObjectList()
	var match gofakes3.PrefixMatch
	n, common := int64(0), ""
	for _, key := range keys {
		if page.Marker != "" && key <= page.Marker || !prefix.Match(key, &match) || match.CommonPrefix && match.MatchedPart == common {
			continue
		}
		if page.MaxKeys > 0 && n == page.MaxKeys {
			list.IsTruncated = true
			break
		}
		n, list.NextMarker = n+1, key
		if match.CommonPrefix {
			common = match.MatchedPart
			list.AddPrefix(common)
		} else if c := f.content(bucket, key); c != nil {
			list.Add(c)
		}
	}
	return list, nil
}

// content is a listed object; nil when it is gone by now.
func (f *folders) content(bucket, key string) *gofakes3.Content {
	file := f.path(bucket, key)
	info, err := os.Lstat(file)
	if err != nil {
		return nil
	}
	o, err := f.known(file, info)
	if err != nil {
		return nil
	}
	return &gofakes3.Content{Key: key, LastModified: gofakes3.NewContentTime(o.modified), ETag: gofakes3.FormatETag(o.hash), Size: o.size}
}

// keys are all keys that may match a prefix, ascending.
func (f *folders) keys(bucket string, prefix *gofakes3.Prefix) (keys []string, err error) {
	top := filepath.Join(f.root, bucket)
	if _, err := os.Stat(top); err != nil {
		return nil, gofakes3.BucketNotFound(bucket)
	}
	from := top
	if prefix != nil {
		from = f.path(bucket, path.Dir(prefix.Prefix+"x"))
	}
	err = filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), staging) {
			return nil // gone meanwhile, or no object
		}
		key, err := filepath.Rel(top, file)
		keys = append(keys, filepath.ToSlash(key))
		return err
	})
	slices.Sort(keys)
	return keys, err
}

// BucketExists implements gofakes3.Backend.
func (f *folders) BucketExists(bucket string) (bool, error) {
	info, err := os.Stat(filepath.Join(f.root, bucket))
	return err == nil && info.IsDir(), nil
}

// CreateBucket implements gofakes3.Backend.
func (f *folders) CreateBucket(bucket string) error {
	err := os.Mkdir(filepath.Join(f.root, bucket), 0o750)
	if errors.Is(err, fs.ErrExist) {
		return gofakes3.ResourceError(gofakes3.ErrBucketAlreadyExists, bucket)
	}
	return err
}

// DeleteBucket implements gofakes3.Backend.
func (f *folders) DeleteBucket(bucket string) error { return os.Remove(filepath.Join(f.root, bucket)) }

// ForceDeleteBucket implements gofakes3.Backend.
func (f *folders) ForceDeleteBucket(bucket string) error {
	return os.RemoveAll(filepath.Join(f.root, bucket))
}

// HeadObject implements gofakes3.Backend.
func (f *folders) HeadObject(bucket, key string) (*gofakes3.Object, error) {
	found, err := f.GetObject(bucket, key, nil)
	if err == nil {
		found.Contents = io.NopCloser(strings.NewReader(""))
	}
	return found, err
}

// GetObject implements gofakes3.Backend.
func (f *folders) GetObject(bucket, key string, part *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if there, _ := f.BucketExists(bucket); !there {
		return nil, gofakes3.BucketNotFound(bucket)
	}
	file := f.path(bucket, key)
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, gofakes3.KeyNotFound(key)
	}
	o, err := f.known(file, info)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	wanted, err := part.Range(o.size)
	if err != nil {
		return nil, err
	}
	if wanted != nil {
		data = data[wanted.Start : wanted.Start+wanted.Length]
	}
	meta := maps.Clone(o.meta)
	if meta == nil {
		meta = map[string]string{}
	}
	meta["Last-Modified"] = o.modified.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	return &gofakes3.Object{Name: key, Metadata: meta, Size: o.size, Hash: o.hash, Range: wanted, Contents: io.NopCloser(bytes.NewReader(data))}, nil
}

// PutObject implements gofakes3.Backend.
func (f *folders) PutObject(bucket, key string, meta map[string]string, input io.Reader, size int64, conditions *gofakes3.PutConditions) (result gofakes3.PutObjectResult, err error) {
	data, err := gofakes3.ReadAll(input, size)
	if err != nil {
		return result, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if there, _ := f.BucketExists(bucket); !there {
		return result, gofakes3.BucketNotFound(bucket)
	}
	file := f.path(bucket, key)
	if conditions != nil {
		var now gofakes3.ConditionalObjectInfo
		if info, err := os.Stat(file); err == nil {
			o, err := f.known(file, info)
			if err != nil {
				return result, err
			}
			now = gofakes3.ConditionalObjectInfo{Exists: true, Hash: o.hash}
		}
		if err := gofakes3.CheckPutConditions(conditions, &now); err != nil {
			return result, err
		}
	}
	return result, f.store(file, data, meta)
}

// store puts a file in its place at once.
func (f *folders) store(file string, data []byte, meta map[string]string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	next := filepath.Join(filepath.Dir(file), staging+filepath.Base(file))
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, file); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	sum := md5.Sum(data) //nolint:gosec // see above
	f.written[file] = object{info.Size(), info.ModTime(), sum[:], maps.Clone(meta)}
	return nil
}

// DeleteObject implements gofakes3.Backend.
func (f *folders) DeleteObject(bucket, key string) (result gofakes3.ObjectDeleteResult, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if there, _ := f.BucketExists(bucket); !there {
		return result, gofakes3.BucketNotFound(bucket)
	}
	file := f.path(bucket, key)
	delete(f.written, file)
	err = os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for top := filepath.Join(f.root, bucket); err == nil && filepath.Dir(file) != top; {
		if file = filepath.Dir(file); os.Remove(file) != nil { // until one that is not empty
			break
		}
	}
	return result, err
}

// DeleteMulti implements gofakes3.Backend.
func (f *folders) DeleteMulti(bucket string, keys ...string) (result gofakes3.MultiDeleteResult, err error) {
	for _, key := range keys {
		if _, err := f.DeleteObject(bucket, key); err != nil {
			result.Error = append(result.Error, gofakes3.ErrorResultFromError(err))
		} else {
			result.Deleted = append(result.Deleted, gofakes3.ObjectID{Key: key})
		}
	}
	return result, nil
}

// CopyObject implements gofakes3.Backend.
func (f *folders) CopyObject(fromBucket, fromKey, bucket, key string, meta map[string]string) (gofakes3.CopyObjectResult, error) {
	return gofakes3.CopyObject(f, fromBucket, fromKey, bucket, key, meta)
}
