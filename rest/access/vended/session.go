package vended

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxSession is how long the name of a session may be.
const maxSession = 64

// Session is who gets credentials, and for which table: nobody else gets the same.
type Session struct{ Actor, Table string }

// Name is what the object store's own log shows of a session: actor@table, in characters
// that it may have. Of an actor who is too long or has others, beyond the colon of its
// kind, a part is shown and a digest, which tells it from those that begin alike.
func (s Session) Name() string {
	table := strings.Map(ofSession, s.Table)
	table = table[:min(len(table), maxSession-1)]
	actor, room := strings.Map(ofSession, strings.Replace(s.Actor, ":", "-", 1)), maxSession-1-len(table)
	if len(actor) > room || actor != strings.Replace(s.Actor, ":", "-", 1) {
		sum := sha256.Sum256([]byte(s.Actor))
		digest := "-" + hex.EncodeToString(sum[:4])
		digest = digest[:min(len(digest), room)]
		actor = actor[:min(len(actor), room-len(digest))] + digest
	}
	return actor + "@" + table
}

func ofSession(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("_+=,.-", r):
		return r
	}
	return '-'
}
