package vended

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"puddle/internal/warehouse"
)

// ErrUnfit: no policy can be made for the places. The text says why and may be shown.
var ErrUnfit = errors.New("no credentials can be made")

// Place is where objects of a table lie: all whose keys begin with Prefix, which ends
// in a slash.
type Place struct{ Bucket, Prefix string }

// check refuses what a policy cannot name exactly: ErrUnfit. In the resources and the
// patterns of a policy "*" and "?" stand for anything and "${" begins a variable. AWS
// has escapes for them, which other object stores read as patterns again: so none is
// used.
func (p Place) check() error {
	switch {
	case !warehouse.AnyBucket.Takes(p.Bucket):
		return fmt.Errorf("%w: %q is no bucket", ErrUnfit, p.Bucket)
	case p.Prefix == "" || p.Prefix == "/" || !strings.HasSuffix(p.Prefix, "/"):
		return fmt.Errorf("%w: %q is no folder of bucket %s", ErrUnfit, p.Prefix, p.Bucket)
	case strings.Contains("/"+p.Prefix, "/"+warehouse.ReservedFolder+"/"):
		return fmt.Errorf("%w: the location s3://%s/%s is in a folder %s, which is a catalog's own", ErrUnfit, p.Bucket, strings.TrimSuffix(p.Prefix, "/"), warehouse.ReservedFolder)
	case !utf8.ValidString(p.Prefix):
		return fmt.Errorf("%w: %q is no valid UTF-8", ErrUnfit, p.Prefix)
	case strings.ContainsAny(p.Prefix, "*?") || strings.Contains(p.Prefix, "${"):
		return fmt.Errorf(`%w: the location s3://%s/%s holds "*", "?" or "${", which mean more than themselves in a policy`,
			ErrUnfit, p.Bucket, strings.TrimSuffix(p.Prefix, "/"))
	}
	return nil
}
