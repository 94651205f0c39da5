package rest

import (
	"net/http"
	"strings"

	"puddle/journal"
	"puddle/rest/catalog"
)

// The ways of showing a table's snapshots.
const (
	snapshotsAll  = "all"
	snapshotsRefs = "refs"
)

// noConfig is the configuration of every table: there is none.
const noConfig = `{}`

// tagOf is the ETag of a table as it is shown: by the place and the bytes of its
// metadata file, so that no restore can bring an old one back with a new meaning
// (case 65), by the snapshots that are shown and by the configuration beside
// them (case 99). It is weak, being the same whether or not the answer is
// compressed. A table that was only staged has none.
func tagOf(t catalog.Table, snapshots, config string) string {
	if t.MetadataLocation == "" {
		return ""
	}
	shown := strings.Join([]string{t.MetadataLocation, t.Digest.String(), snapshots, config}, "\x00")
	return `W/"` + journal.Sum([]byte(shown)).String() + `"`
}

// has tells whether the client says that it holds what the tag stands for. A
// star is any version (RFC 9110 §13.1.2). Tags are compared without their
// quotes and without what tells weak ones: clients send them as they please.
func has(h http.Header, tag string) bool {
	for _, line := range h.Values("If-None-Match") {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || opaque(one) == opaque(tag) {
				return true
			}
		}
	}
	return false
}

func opaque(tag string) string {
	return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
}

// notModified is the answer to who holds it already.
func notModified(tag string) reply { return reply{status: http.StatusNotModified, tag: tag} }
