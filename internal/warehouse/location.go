package warehouse

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const (
	// MaxLocation is the length limit of a storage URL in bytes.
	MaxLocation = 2048

	// ReservedFolder is the folder of a warehouse that is puddle's own. It is
	// compared without case, since some file systems do so.
	ReservedFolder = "_puddle"

	// ProbeFolder is the folder in which it is tried what storage does. What lies in it
	// is of no catalog.
	ProbeFolder = ReservedFolder + "/probe"
)

// ErrInvalidLocation: the text is no storage URL that puddle accepts.
var ErrInvalidLocation = errors.New("warehouse: invalid location")

// Family is a group of URL schemes that name the same bytes.
type Family string

// The families: file (file:, bare absolute paths) and s3 (s3, s3a, s3n).
const (
	FamilyFile Family = "file"
	FamilyS3   Family = "s3"
)

// Location is a storage URL in the form in which URLs are compared. Two
// locations are equal (==) when they name the same bytes; the spelling of the
// URL is not kept, so it is stored beside. The zero Location names nothing.
type Location struct {
	path string // see Path
}

// ParseLocation reads a storage URL. What it makes equal:
//
//   - file:/x, file:///x and /x (case 27); s3://b/x, s3a://b/x and s3n://b/x
//     (case 25); schemes in any case; with and without one slash at the end.
//
// What it refuses, as ErrInvalidLocation with the reason:
//
//   - other schemes, relative paths, a host in file:, the root folder "/", a
//     bucket that [AnyBucket] does not take;
//   - empty segments and "." or ".." (case 138), in file: also percent-encoded;
//   - control characters, invalid UTF-8, backslashes, more than MaxLocation
//     bytes; in s3: also what is [BeyondXML].
//
// All else stands for itself. Percent signs do: file:///a%20b is the folder
// "a%20b", as Hadoop's Path and PyIceberg read it; only encoded dot segments are
// refused, for the sake of readers that do decode. "?" and "#" do: they are part
// of the path, as Hadoop and Trino read it; see [Location.Cut].
func ParseLocation(s string) (Location, error) {
	if len(s) > MaxLocation {
		return Location{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrInvalidLocation, len(s), MaxLocation)
	}
	path, reason := normalize(s)
	if reason != "" {
		return Location{}, fmt.Errorf("%w: %q %s", ErrInvalidLocation, s, reason)
	}
	return Location{path}, nil
}

// normalize returns the Path of a storage URL, or what is wrong with it.
func normalize(s string) (path, reason string) {
	if reason := badText(s); reason != "" {
		return "", "holds " + reason
	}
	if strings.Contains(s, `\`) {
		return "", "holds a backslash"
	}
	scheme, rest := splitScheme(s)
	switch strings.ToLower(scheme) {
	case "", "file":
		return normalizeFile(rest)
	case "s3", "s3a", "s3n":
		return normalizeS3(rest)
	}
	return "", fmt.Sprintf("has scheme %q, not one of file, s3, s3a, s3n", scheme)
}

// splitScheme cuts "scheme:" off; a colon after the first slash is part of a path.
func splitScheme(s string) (scheme, rest string) {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || strings.Contains(scheme, "/") {
		return "", s
	}
	return scheme, rest
}

func normalizeFile(rest string) (path, reason string) {
	if hosted, found := strings.CutPrefix(rest, "//"); found {
		host, _, _ := strings.Cut(hosted, "/")
		if host != "" {
			return "", fmt.Sprintf("names the host %q; a file location has none", host)
		}
		rest = hosted
	}
	rest, absolute := strings.CutPrefix(rest, "/")
	if !absolute {
		return "", "is not an absolute path"
	}
	rest = strings.TrimSuffix(rest, "/")
	if rest == "" {
		return "", "is the root folder"
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if reason := badSegment(segment); reason != "" {
			return "", "has " + reason
		}
		for part := range strings.SplitSeq(decoded(segment), "/") {
			if part == "." || part == ".." {
				return "", "has an encoded dot segment"
			}
		}
	}
	return "/" + rest + "/", ""
}

func normalizeS3(rest string) (path, reason string) {
	rest, found := strings.CutPrefix(rest, "//")
	if !found {
		return "", "has no bucket"
	}
	if BeyondXML(rest) {
		return "", "holds a character that XML cannot write"
	}
	bucket, key, _ := strings.Cut(rest, "/")
	if !AnyBucket.Takes(bucket) {
		return "", fmt.Sprintf("has the bucket %q, which is no bucket's name", bucket)
	}
	key = strings.TrimSuffix(key, "/")
	if key == "" {
		return "//" + bucket + "/", ""
	}
	for segment := range strings.SplitSeq(key, "/") {
		if reason := badSegment(segment); reason != "" {
			return "", "has " + reason
		}
	}
	return "//" + bucket + "/" + key + "/", ""
}

// decoded returns the segment as a reader sees it that decodes percent signs;
// what is no escape stays as it is.
func decoded(segment string) string {
	var plain strings.Builder
	for {
		before, after, found := strings.Cut(segment, "%")
		plain.WriteString(before)
		if !found {
			return plain.String()
		}
		if b, err := hex.DecodeString(after[:min(2, len(after))]); err == nil && len(b) == 1 {
			plain.Write(b)
			segment = after[2:]
		} else {
			plain.WriteByte('%')
			segment = after
		}
	}
}

// IsZero reports whether l names nothing.
func (l Location) IsZero() bool { return l.path == "" }

// Family tells which kind of storage l is in.
func (l Location) Family() Family {
	if strings.HasPrefix(l.path, "//") {
		return FamilyS3
	}
	return FamilyFile
}

// Path is the normalised form that the table of places holds: scheme family
// dropped, "file:" spellings merged, a slash at the end. "/tmp/w/t/" is a
// folder, "//bucket/prefix/" is in an object store.
func (l Location) Path() string { return l.path }

// Bucket is the bucket of a location of the family s3, and what begins the keys
// below it: empty, or with a slash at the end.
func (l Location) Bucket() (bucket, prefix string) {
	bucket, prefix, _ = strings.Cut(strings.TrimPrefix(l.path, "//"), "/")
	return bucket, prefix
}

// String is l as a storage URL again, without a slash at the end.
func (l Location) String() string {
	url := strings.TrimSuffix(l.path, "/")
	if l.Family() == FamilyS3 {
		return "s3:" + url
	}
	return url
}

// Cut is what l is to clients for which "?" and "#" end the path of a URL, as
// they do for PyIceberg and for Iceberg's S3FileIO: the folder that is left when l
// is cut before the first of them. It answers false when l holds neither and is
// the same to everybody.
func (l Location) Cut() (Location, bool) {
	at := strings.IndexAny(l.path, "?#")
	if at < 0 {
		return Location{}, false
	}
	return Location{strings.TrimSuffix(l.path[:at], "/") + "/"}, true
}

// Within reports whether l is root or lies below it.
func (l Location) Within(root Location) bool {
	return !root.IsZero() && strings.HasPrefix(l.path, root.path)
}

// Key returns the key of l in a store whose root is root, "" for root itself,
// and whether l is within root at all.
func (l Location) Key(root Location) (string, bool) {
	if !l.Within(root) {
		return "", false
	}
	return strings.TrimSuffix(l.path[len(root.path):], "/"), true
}

// Reserved reports whether l lies in puddle's own folder below root: its first
// segment there is ReservedFolder in any case, also to a reader that decodes
// percent signs, slashes among them (case 141).
func (l Location) Reserved(root Location) bool {
	key, within := l.Key(root)
	first, _, _ := strings.Cut(strings.TrimLeft(decoded(key), "/"), "/")
	return within && strings.EqualFold(first, ReservedFolder)
}

// holdsReserved reports whether any segment of l below root is ReservedFolder, as
// Reserved reads them.
func (l Location) holdsReserved(root Location) bool {
	key, within := l.Key(root)
	return within && HoldsReserved(key)
}

// HoldsReserved reports whether any segment of a path is ReservedFolder in any case, also
// to a reader that decodes percent signs.
func HoldsReserved(path string) bool {
	for segment := range strings.SplitSeq(decoded(path), "/") {
		if strings.EqualFold(segment, ReservedFolder) {
			return true
		}
	}
	return false
}

// Overlaps reports whether one of two [Location.Path] forms is the other or
// lies below it. Whole segments count: "/w/a/" and "/w/ab/" do not overlap
// (case 130).
func Overlaps(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
