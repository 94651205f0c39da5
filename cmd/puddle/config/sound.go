package config

import "strings"

// unread notes that what a key holds is not known, so that nothing is said of it that
// could be otherwise if it were.
func (d *decoder) unread(key string) { d.unreadKeys[key] = true }

// sound tells whether it is known what some keys hold, the defaults of those that are not
// there included: nothing of them, around them or below them is unread.
func (d *decoder) sound(keys ...string) bool {
	for _, key := range keys {
		for unread := range d.unreadKeys {
			if within(key, unread) || within(unread, key) {
				return false
			}
		}
	}
	return true
}

// within tells whether a key is another one or below it. All are below "", the file.
func within(key, other string) bool {
	below, is := strings.CutPrefix(key, other)
	return is && (other == "" || below == "" || below[0] == '.' || below[0] == '[')
}

// above is the key around one, "" for the file.
func above(key string) string { return key[:max(0, strings.LastIndexAny(key, ".["))] }
