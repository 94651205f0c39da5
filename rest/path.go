package rest

import (
	"net/url"
	"strings"

	"puddle/journal"
)

// rawPath is a request's path as it was sent, with whatever a URL may not hold
// escaped, so that the router sees every escaped slash as its client wrote it.
func rawPath(u *url.URL) string {
	raw := u.RawPath
	if plain, err := url.PathUnescape(raw); raw == "" || err != nil || plain != u.Path {
		return u.EscapedPath()
	}
	if !strings.ContainsFunc(raw, foreign) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if foreign(rune(raw[i])) {
			b.WriteString(escaped(raw[i]))
			continue
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}

// foreign tells which characters a URL's path may not hold unescaped.
func foreign(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", c) }

func escaped(c byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{'%', digits[c>>4], digits[c&15]})
}

// levels reads the levels of a namespace from its escaped path segment. ok is
// false when one is empty: that is no name at all, and no name's spelling.
func levels(segment string, as plus) (n journal.Namespace, ok bool) {
	for _, level := range splitLevels(segment) {
		if level == "" {
			return nil, false
		}
		n = append(n, unescape(level, as))
	}
	return n, true
}

// splitLevels splits at the escaped 0x1F. Its hexadecimal digit may be of either
// case; nothing else may start with "%1".
func splitLevels(segment string) []string {
	return strings.Split(strings.ReplaceAll(segment, "%1f", "%1F"), "%1F")
}

// unescape decodes one level or name. Escapes that are none stay as they are:
// the server's own parser has refused them before.
func unescape(s string, as plus) string {
	if as == plusIsSpace {
		s = strings.ReplaceAll(s, "+", "%20")
	}
	plain, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

// parent reads the levels of a query's parent parameter, which was decoded once.
// No levels mean the root.
func parent(value string) (n journal.Namespace, ok bool) {
	if value == "" {
		return nil, true
	}
	n = journal.NamespaceOfKey(value)
	for _, level := range n {
		if level == "" {
			return nil, false
		}
	}
	return n, true
}

// parentDecodedAgain reads it as a client means it that escapes each level before
// the query is escaped as a whole. ok is false when that is the same.
func parentDecodedAgain(value string) (n journal.Namespace, ok bool) {
	if !strings.Contains(value, "%") {
		return nil, false
	}
	for _, level := range strings.Split(value, "\x1f") {
		more, ok := levels(level, plusIsPlus)
		if !ok {
			return nil, false
		}
		n = append(n, more...)
	}
	return n, n.Key() != value
}
