package s3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"

	"puddle/internal/awsconfig"
	"puddle/internal/warehouse"
)

// worth is how many objects a page of a list has to tell of so that asking for each of
// them would cost more: by AWS's prices a list costs as much as twelve and a half.
const worth = 13

// StatAll implements [warehouse.Batches]. Objects that lie together are found in a list of
// what is there, and the others are asked about several at a time.
func (s *Store) StatAll(ctx context.Context, keys []string) ([]warehouse.Info, []error) {
	infos, errs := make([]warehouse.Info, len(keys)), make([]error, len(keys))
	var asked, apart []int // keys that can be, and those of them that no list tells for sure
	for i, key := range keys {
		switch errs[i] = s.check(ctx, key); {
		case errs[i] != nil:
		case strings.ContainsRune(key, utf8.RuneError):
			apart = append(apart, i)
		default:
			asked = append(asked, i)
		}
	}
	slices.SortFunc(asked, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	left := asked
	for len(left) >= worth {
		told, err := s.statPage(ctx, keys, left, infos, errs)
		if err != nil && !listless(err) {
			for _, i := range append(left, apart...) {
				errs[i] = failed(keys[i], err)
			}
			return infos, errs
		}
		left = left[told:]
		if told < worth {
			break
		}
	}
	each(append(left, apart...), func(i int) { infos[i], errs[i] = s.Stat(ctx, keys[i]) })
	return infos, errs
}

// listless tells of a list that failed whether objects may be there to be looked at without:
// lists are refused, or are none.
func listless(err error) bool {
	return errors.Is(meaning(err), warehouse.ErrDenied) || errors.Is(err, errList) || errors.Is(err, awsconfig.ErrEndless)
}

// statPage looks for some of keys, which ascend, in one page of a list, and tells of how
// many of them that told: none, when it failed.
func (s *Store) statPage(ctx context.Context, keys []string, asked []int, infos []warehouse.Info, errs []error) (told int, err error) {
	first, last := *s.object(keys[asked[0]]), *s.object(keys[asked[len(asked)-1]])
	l := lister{prefix: common(first, last), after: before(first)}
	page, err := s.page(ctx, l)
	if err != nil {
		return 0, err
	}
	there := make(map[string]warehouse.Info, len(page.Contents))
	for _, o := range page.Contents {
		name, err := l.next(page, o)
		if err != nil {
			return 0, err
		}
		there[name] = info(o.Size, o.ETag, o.LastModified)
	}
	for _, i := range asked {
		name := *s.object(keys[i])
		if aws.ToBool(page.IsTruncated) && name > l.last {
			break
		}
		found, ok := there[name]
		if infos[i] = found; !ok {
			errs[i] = fmt.Errorf("%w: %q", warehouse.ErrNotFound, keys[i])
		}
		told++
	}
	return told, nil
}

// common is what two names begin with, to the end of a letter.
func common(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

// before is a name close before another.
func before(name string) string {
	letter, size := utf8.DecodeLastRuneInString(name)
	name = name[:len(name)-size]
	if ' ' < letter && letter < utf8.RuneSelf {
		name += string(letter - 1)
	}
	return name
}
