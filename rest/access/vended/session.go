package vended

import "strings"

// maxSession is how long the name of a session may be.
const maxSession = 64

// Session names who holds credentials, and of what: the object store's own log shows
// it. Characters that no session may have become hyphens.
func Session(actor, table string) string {
	table = strings.Map(ofSession, table)
	table = table[:min(len(table), maxSession-1)]
	actor = strings.Map(ofSession, actor)
	return actor[:min(len(actor), maxSession-1-len(table))] + "@" + table
}

func ofSession(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("_+=,.-", r):
		return r
	}
	return '-'
}
