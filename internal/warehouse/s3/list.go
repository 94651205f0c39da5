package s3

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"puddle/internal/warehouse"
)

const (
	pageSize  = 1000  // the most that S3 gives at once
	emptiness = 10000 // pages without a name to rely on, one after the other, after which a list is taken for endless
)

// errList ends a list that would skip objects, tell some twice, or never end.
var errList = errors.New("the object store lists what cannot be")

// List implements [warehouse.Reader]. It has one page of objects in memory. An object store
// whose lists do not ascend is told of with an error: they cannot be sorted in bounded memory.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		prefix, err := warehouse.CleanPrefix(prefix)
		if err == nil && prefix != "" {
			err = s.check(ctx, prefix)
			prefix += "/"
		}
		if err != nil {
			yield(warehouse.Entry{}, err)
			return
		}
		for entry, err := range s.list(ctx, lister{prefix: s.prefix + prefix}) {
			if err != nil {
				yield(warehouse.Entry{}, failed(prefix, err))
				return
			}
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// lister is how far a list is.
type lister struct {
	prefix string // of names of objects
	after  string // the names before and this one are left out; empty: none
	token  *string
	last   string // the name that came last
	empty  int    // pages without a name since
}

// list yields the objects whose names are keys, and what one page after the other says.
func (s *Store) list(ctx context.Context, l lister) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		for more := true; more; {
			page, err := s.page(ctx, l)
			if err == nil {
				more, err = l.turn(page)
			}
			if err != nil {
				yield(warehouse.Entry{}, err)
				return
			}
			for _, o := range page.Contents {
				name, err := l.next(page, o)
				if err != nil {
					yield(warehouse.Entry{}, err)
					return
				}
				entry := warehouse.Entry{Key: strings.TrimPrefix(name, s.prefix), Info: info(o.Size, o.ETag, o.LastModified)}
				if warehouse.CheckKey(entry.Key) != nil || warehouse.BeyondXML(entry.Key) {
					continue
				}
				is := true
				if !l.exact(o) {
					is, err = s.is(ctx, entry)
				}
				if (is || err != nil) && !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

// page asks for the next one.
func (s *Store) page(ctx context.Context, l lister) (page *s3.ListObjectsV2Output, err error) {
	in := &s3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: &l.prefix, MaxKeys: aws.Int32(pageSize), ContinuationToken: l.token,
		EncodingType: types.EncodingTypeUrl, // or a name that XML has no way to write ends the list
	}
	if l.after != "" && l.token == nil {
		in.StartAfter = &l.after
	}
	err = s.service.longTries().do(ctx, func(a attempt) error {
		page, err = s.service.client.ListObjectsV2(a, in)
		if err == nil && page.IsTruncated == nil {
			return noStore("a list: it did not tell whether there is more")
		}
		return err
	})
	return page, err
}

// turn tells whether another page comes after this one, and sees when that never ends.
func (l *lister) turn(page *s3.ListObjectsV2Output) (more bool, err error) {
	if !aws.ToBool(page.IsTruncated) {
		return false, nil
	}
	if l.empty++; slices.ContainsFunc(page.Contents, l.exact) {
		l.empty = 0
	}
	token := aws.ToString(page.NextContinuationToken)
	switch {
	case token == "":
		return false, fmt.Errorf("%w: there is more, and no way to it", errList)
	case token == aws.ToString(l.token):
		return false, fmt.Errorf("%w: a page is followed by itself", errList)
	case l.empty == emptiness:
		return false, fmt.Errorf("%w: %d pages without an object", errList, l.empty)
	}
	l.token = &token
	return true, nil
}

// is tells whether an object has the name that a list has for it.
func (s *Store) is(ctx context.Context, entry warehouse.Entry) (bool, error) {
	found, err := s.Stat(ctx, entry.Key)
	if errors.Is(err, warehouse.ErrNotFound) {
		return false, nil
	}
	return err == nil && found.Same(entry.Info), err
}

// exact tells whether a name in an answer is that of the object for sure. A store that does
// not encode names writes U+FFFD for what XML cannot hold: a control character, say.
func (l *lister) exact(o types.Object) bool {
	return !strings.ContainsRune(strings.TrimPrefix(aws.ToString(o.Key), l.prefix), utf8.RuneError)
}

// next is the name of an object of a page, which comes after the one before. One that is not
// exact may come anywhere.
func (l *lister) next(page *s3.ListObjectsV2Output, o types.Object) (name string, err error) {
	name = aws.ToString(o.Key)
	if page.EncodingType == types.EncodingTypeUrl {
		if name, err = url.QueryUnescape(name); err != nil {
			return "", fmt.Errorf("%w: %q is not encoded", errList, *o.Key)
		}
	}
	switch {
	case !strings.HasPrefix(name, l.prefix):
		return "", fmt.Errorf("%w: %q, asked for what begins with %q", errList, name, l.prefix)
	case !l.exact(o):
		return name, nil
	case l.last != "" && name <= l.last:
		return "", fmt.Errorf("%w: %q comes after %q", errList, name, l.last)
	}
	l.last = name
	return name, nil
}
