package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of names, checked before anything is written (formats §1).
const (
	MaxLevelBytes      = 1024     // one level of a namespace, or a name
	MaxLevels          = 32       // levels of a namespace
	MaxIdentifierBytes = 8 * 1024 // all levels and the name together
)

// ErrName is wrapped by every refusal of a namespace or name.
var ErrName = errors.New("invalid name")

// Namespace is a path of levels, outermost first. Levels are exact bytes of
// valid UTF-8, compared byte by byte and never folded. The empty Namespace is
// the root: the parent of the top-level namespaces, itself never created.
type Namespace []string

// Check refuses what can never be created: the root, empty levels, "." and
// "..", control characters (0x1F among them), invalid UTF-8, and what is over a
// limit. The error wraps ErrName and names level and limit.
func (n Namespace) Check() error {
	if len(n) == 0 {
		return fmt.Errorf("%w: a namespace needs at least one level", ErrName)
	}
	if len(n) > MaxLevels {
		return fmt.Errorf("%w: namespace has %d levels, the limit is %d", ErrName, len(n), MaxLevels)
	}
	for _, level := range n {
		if err := checkLevel("namespace level", level); err != nil {
			return err
		}
	}
	return checkLength(n, "")
}

// String joins the levels with dots, for people. It is not unique: ["a.b"] and
// ["a","b"] read alike. Key is unique.
func (n Namespace) String() string { return strings.Join(n, ".") }

// Key joins the levels with 0x1F, which no level holds: equal keys are equal
// namespaces.
func (n Namespace) Key() string { return strings.Join(n, "\x1f") }

// NamespaceOfKey undoes Key. The empty key is the root.
func NamespaceOfKey(key string) Namespace {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x1f")
}

// IsRoot tells whether n has no levels.
func (n Namespace) IsRoot() bool { return len(n) == 0 }

// Parent is n without its last level; that of the root is the root.
func (n Namespace) Parent() Namespace {
	if len(n) == 0 {
		return nil
	}
	return n[:len(n)-1]
}

// Name is the last level; that of the root is empty.
func (n Namespace) Name() string {
	if len(n) == 0 {
		return ""
	}
	return n[len(n)-1]
}

// Equal compares level by level.
func (n Namespace) Equal(other Namespace) bool { return slices.Equal(n, other) }

// Identifier names a table or view.
type Identifier struct {
	Name      string    `json:"name"`
	Namespace Namespace `json:"namespace"`
}

// Check applies the rules of Namespace.Check to namespace and name.
func (i Identifier) Check() error {
	if err := i.Namespace.Check(); err != nil {
		return err
	}
	if err := checkLevel("name", i.Name); err != nil {
		return err
	}
	return checkLength(i.Namespace, i.Name)
}

// String joins levels and name with dots, for people; see Quoted for a form
// that reads back.
func (i Identifier) String() string {
	if i.Namespace.IsRoot() {
		return i.Name
	}
	return i.Namespace.String() + "." + i.Name
}

// Key is unique: equal keys are equal identifiers.
func (i Identifier) Key() string { return i.Namespace.Key() + "\x1f" + i.Name }

// Equal compares namespace and name byte by byte.
func (i Identifier) Equal(other Identifier) bool {
	return i.Name == other.Name && i.Namespace.Equal(other.Namespace)
}

// Quoted writes the identifier as the command line takes it: levels joined with
// dots, a level that holds a dot or backquote in backquotes (doubled inside).
func (i Identifier) Quoted() string {
	levels := make([]string, 0, len(i.Namespace)+1)
	for _, level := range append(slices.Clone(i.Namespace), i.Name) {
		if strings.ContainsAny(level, ".`") {
			level = "`" + strings.ReplaceAll(level, "`", "``") + "`"
		}
		levels = append(levels, level)
	}
	return strings.Join(levels, ".")
}

// ParseIdentifier reads what Quoted writes. It needs a namespace and a name.
func ParseIdentifier(s string) (Identifier, error) {
	levels, err := splitQuoted(s)
	if err != nil {
		return Identifier{}, err
	}
	if len(levels) < 2 {
		return Identifier{}, fmt.Errorf("%w: %q needs a namespace and a name: ns.name", ErrName, s)
	}
	last := len(levels) - 1
	id := Identifier{Namespace: levels[:last], Name: levels[last]}
	return id, id.Check()
}

func splitQuoted(s string) ([]string, error) {
	var levels []string
	for rest := s; ; rest = rest[1:] {
		level, after, ok := cutLevel(rest)
		if !ok {
			return nil, fmt.Errorf("%w: %q has a backquote that is not closed", ErrName, s)
		}
		levels = append(levels, level)
		if after == "" {
			return levels, nil
		}
		if after[0] != '.' {
			return nil, fmt.Errorf("%w: %q has a backquote in the middle of a level", ErrName, s)
		}
		rest = after
	}
}

// cutLevel reads one level up to the dot after it.
func cutLevel(s string) (level, after string, ok bool) {
	if quoted, found := strings.CutPrefix(s, "`"); found {
		after, level, ok = cutQuoted(quoted)
		return level, after, ok
	}
	end := strings.IndexAny(s, ".`")
	if end < 0 {
		return s, "", true
	}
	return s[:end], s[end:], true
}

// cutQuoted reads up to the closing backquote; a doubled one stands for itself.
func cutQuoted(s string) (rest, quoted string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '`' {
			b.WriteByte('`')
			i++
			continue
		}
		return s[i+1:], b.String(), true
	}
	return "", "", false
}

func checkLevel(what, level string) error {
	switch {
	case level == "":
		return fmt.Errorf("%w: %s is empty", ErrName, what)
	case level == "." || level == "..":
		return fmt.Errorf("%w: %s %q is reserved", ErrName, what, level)
	case len(level) > MaxLevelBytes:
		return fmt.Errorf("%w: %s is %d bytes long, the limit is %d", ErrName, what, len(level), MaxLevelBytes)
	case !utf8.ValidString(level):
		return fmt.Errorf("%w: %s %q is not valid UTF-8", ErrName, what, level)
	case strings.ContainsFunc(level, unicode.IsControl):
		return fmt.Errorf("%w: %s %q holds a control character", ErrName, what, level)
	}
	return nil
}

func checkLength(n Namespace, name string) error {
	total := len(name)
	for _, level := range n {
		total += len(level)
	}
	if total > MaxIdentifierBytes {
		return fmt.Errorf("%w: the whole identifier is %d bytes long, the limit is %d", ErrName, total, MaxIdentifierBytes)
	}
	return nil
}
