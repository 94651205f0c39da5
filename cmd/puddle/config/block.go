package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// block is a mapping of the file, or none. Its methods take keys out of it and
// note what is wrong with them; a key that is absent or empty keeps its default.
type block struct {
	d      *decoder
	key    string
	fields map[string]*yaml.Node
	names  []string // in the file's order, those not yet taken
	known  []string // those that were asked for
}

func (d *decoder) block(key string, n *yaml.Node) *block {
	b := &block{d: d, key: key, fields: map[string]*yaml.Node{}}
	n = resolve(n)
	switch {
	case d.unset[n]:
		d.unread(key)
	case isNull(n):
	case n.Kind != yaml.MappingNode:
		d.fail(key, "must be a block of keys")
		d.unread(key)
	default:
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if b.fields[name] != nil { // it is set twice, and the first counts
				continue
			}
			b.fields[name] = n.Content[i+1]
			b.names = append(b.names, name)
		}
	}
	return b
}

// resolve gives what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// take gives a key's value, nil when it is absent, empty or unread.
func (b *block) take(name string) *yaml.Node {
	b.known = append(b.known, name)
	b.names = slices.DeleteFunc(b.names, func(n string) bool { return n == name })
	n := resolve(b.fields[name])
	if b.d.unset[n] {
		b.d.unread(join(b.key, name))
		return nil
	}
	if isNull(n) {
		return nil
	}
	return n
}

// end refuses the keys that nobody took. What holds the key that was meant is unread.
func (b *block) end() {
	for _, name := range b.names {
		meant := Meant(name, b.known)
		switch {
		case meant == "":
			b.d.fail(join(b.key, name), "unknown key")
			continue
		case b.fields[meant] == nil:
			b.d.unread(join(b.key, meant))
		}
		b.d.fail(join(b.key, name), "unknown key; did you mean %s?", meant)
	}
}

// fail notes what is wrong with the value of a key, which is not taken.
func (b *block) fail(name, format string, args ...any) {
	b.d.fail(join(b.key, name), format, args...)
	b.d.unread(join(b.key, name))
}

// scalar gives the text of a key whose value is a scalar with one of the tags.
func (b *block) scalar(name, what string, tags ...string) (string, bool) {
	n := b.take(name)
	if n == nil {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.ShortTag()) {
		b.fail(name, "must be %s", what)
		return "", false
	}
	return n.Value, true
}

func (b *block) text(name string, into *string) {
	if s, ok := b.scalar(name, "text (in quotes, if it is a number or a word like true)", "!!str"); ok {
		*into = s
	}
}

// flag takes true or false; a variable may have brought it in as text.
func (b *block) flag(name string, into *bool) {
	s, ok := b.scalar(name, "true or false", "!!bool", "!!str")
	switch {
	case !ok:
	case s == "true" || s == "false":
		*into = s == "true"
	default:
		b.fail(name, "must be true or false, not %q", s)
	}
}

func (b *block) choice(name string, into *string, choices ...string) {
	s := *into
	if b.text(name, &s); !slices.Contains(choices, s) {
		b.fail(name, "must be one of %s, not %q", strings.Join(choices, ", "), s)
		return
	}
	*into = s
}

func (b *block) duration(name string, into *time.Duration) {
	s, ok := b.scalar(name, "a duration like 30s or 1h30m", "!!str")
	if !ok {
		return
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		b.fail(name, "must be a duration like 30s or 1h30m, above zero, not %q", s)
		return
	}
	*into = d
}

// maxPeriod is the longest of periods, ten years: longer ones are mistakes.
const maxPeriod = 10 * 365 * 24 * time.Hour

// period takes a time to wait, which may be none.
func (b *block) period(name string, into *time.Duration) {
	const like = "a duration like 0s, 30m or 24h"
	s, ok := b.scalar(name, like, "!!str")
	if !ok {
		return
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil || d < 0:
		b.fail(name, "must be %s, not %q", like, s)
	case d > maxPeriod:
		b.fail(name, "%s is over the limit of %d hours", s, maxPeriod/time.Hour)
	default:
		*into = d
	}
}

var units = []struct {
	suffix string
	shift  uint
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"B", 0}, {"", 0}}

// size takes a number of bytes, or a number with a unit.
func (b *block) size(name string, limit int64, into *int64) {
	s, ok := b.scalar(name, "a size like 1048576 or 64MiB", "!!int", "!!str")
	if !ok {
		return
	}
	for _, unit := range units {
		digits, found := strings.CutSuffix(s, unit.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		switch {
		case err != nil || n <= 0:
			b.fail(name, "must be a size like 1048576 or 64MiB, above zero, not %q", s)
		case n > limit>>unit.shift:
			b.fail(name, "%s is over the limit of %d bytes", s, limit)
		default:
			*into = n << unit.shift
		}
		return
	}
}

// number takes a whole number.
func (b *block) number(name string, least, most int, into *int) {
	s, ok := b.scalar(name, "a number", "!!int", "!!str")
	if !ok {
		return
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		b.fail(name, "must be a number from %d to %d, not %q", least, most, s)
		return
	}
	*into = n
}

// block takes a block below this one.
func (b *block) block(name string) *block { return b.d.block(join(b.key, name), b.take(name)) }

// list takes a list and gives the key and value of each item.
func (b *block) list(name string, each func(key string, n *yaml.Node)) {
	n := b.take(name)
	if n == nil {
		return
	}
	key := join(b.key, name)
	if n.Kind != yaml.SequenceNode {
		b.fail(name, "must be a list")
		return
	}
	for i, value := range n.Content {
		each(item(key, i), resolve(value))
	}
}

// texts takes a list of texts. One that is none is unread, and "".
func (b *block) texts(name string, each func(key, value string)) {
	b.list(name, func(key string, n *yaml.Node) {
		value := n.Value
		switch {
		case b.d.unset[n]:
			b.d.unread(key)
			value = ""
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
			b.d.fail(key, "must be text")
			b.d.unread(key)
			value = ""
		}
		each(key, value)
	})
}
