package warehouse

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxKey is the length limit of a key in bytes, that of S3.
	MaxKey = 1024

	// TempPrefix begins the names under which a store keeps bytes that are
	// not yet what their key will name. They are no keys and never listed.
	TempPrefix = ".puddle-tmp-"
)

// CheckKey reports, as ErrInvalidKey with the reason, a key that no store
// takes: one that is empty, absolute or longer than MaxKey, has an empty, "."
// or ".." segment or one that begins with TempPrefix, ends in a slash, or
// holds a control character or invalid UTF-8. All other text is kept exactly.
func CheckKey(key string) error {
	if len(key) > MaxKey {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrInvalidKey, len(key), MaxKey)
	}
	if reason := badText(key); reason != "" {
		return fmt.Errorf("%w: %q holds %s", ErrInvalidKey, key, reason)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if reason := badSegment(segment); reason != "" {
			return fmt.Errorf("%w: %q has %s", ErrInvalidKey, key, reason)
		}
		if strings.HasPrefix(segment, TempPrefix) {
			return fmt.Errorf("%w: %q has a segment that begins with %s", ErrInvalidKey, key, TempPrefix)
		}
	}
	return nil
}

// CleanPrefix returns the prefix of a list without its slash at the end, or
// ErrInvalidKey. It is for stores.
func CleanPrefix(prefix string) (string, error) {
	if prefix == "" {
		return "", nil
	}
	prefix = strings.TrimSuffix(prefix, "/")
	return prefix, CheckKey(prefix)
}

// badText names what no key and no location may hold, or returns "".
func badText(s string) string {
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return "a control character"
	}
	return ""
}

// BeyondXML tells of a text that it holds a character that keys may hold and XML 1.0 has no
// way to write, not even as a number: U+FFFE or U+FFFF. Who writes XML puts U+FFFD in its
// place, so that in an object store such a text names what another one names.
func BeyondXML(s string) bool { return strings.ContainsAny(s, "\ufffe\uffff") }

// badSegment names what is wrong with a segment of a path, or returns "".
func badSegment(segment string) string {
	switch segment {
	case "":
		return "an empty segment"
	case ".", "..":
		return "a dot segment"
	}
	return ""
}
