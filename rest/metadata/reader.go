package metadata

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads JSON text front to back. Values it returns are slices of raw.
type reader struct{ cursor }

// newReader reads text that checkText has passed.
func newReader(raw []byte) *reader { return &reader{cursor{raw: raw}} }

// checkText passes exactly one JSON value from outside: without duplicate names,
// invalid UTF-8, nesting deeper than 10,000, and text that follows.
func checkText(raw []byte, what string) error {
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if err := dec.SkipValue(); err != nil {
		return syntax(what, err)
	}
	_, _ = dec.ReadToken()
	return invalidf("invalid %s: text after the end at byte %d", what, dec.InputOffset())
}

func syntax(what string, err error) error {
	return invalidf("invalid %s: %v", what, err)
}

// vocabulary lists the members of one kind of object. Other members are passed
// over, but not those that differ from a listed one in case only.
type vocabulary struct {
	what     string
	required []string
	optional []string
}

// object reads one object; member is called for each listed member and must
// read its value.
func (r *reader) object(words vocabulary, member func(name string) error) error {
	if r.kind() != '{' {
		v, err := r.value()
		if err != nil {
			return syntax(words.what, err)
		}
		return invalidf("invalid %s: not an object: %s", words.what, excerpt(v))
	}
	if err := r.bracket(); err != nil {
		return syntax(words.what, err)
	}
	var seen uint64
	for r.kind() != '}' {
		name, place, err := r.name(words)
		if err != nil {
			return err
		}
		if name == "" {
			err = r.skip()
		} else {
			seen |= 1 << place
			err = member(name)
		}
		if err != nil {
			return words.wrap(name, err)
		}
	}
	if err := r.bracket(); err != nil {
		return syntax(words.what, err)
	}
	return words.missing(seen)
}

// name reads a member's name: the listed one and its place, or "".
func (r *reader) name(words vocabulary) (string, int, error) {
	_, name, err := r.key()
	if err != nil {
		return "", 0, syntax(words.what, err)
	}
	for i, word := range words.required {
		if string(name) == word {
			return word, i, nil
		}
	}
	for i, word := range words.optional {
		if string(name) == word {
			return word, len(words.required) + i, nil
		}
	}
	return "", 0, words.checkCase(string(name))
}

// key reads a member's name, as it is written and as it is meant.
func (r *reader) key() (raw jsontext.Value, name []byte, err error) {
	if raw, err = r.value(); err != nil {
		return nil, nil, err
	}
	name = raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, err = jsontext.AppendUnquote(nil, raw)
	}
	return raw, name, err
}

func (words vocabulary) checkCase(name string) error {
	for _, list := range [][]string{words.required, words.optional} {
		for _, word := range list {
			if strings.EqualFold(name, word) {
				return invalidf("invalid %s: %q must be written %q", words.what, name, word)
			}
		}
	}
	return nil
}

func (words vocabulary) missing(seen uint64) error {
	for i, word := range words.required {
		if seen&(1<<i) == 0 {
			return invalidf("invalid %s: missing %s", words.what, word)
		}
	}
	return nil
}

// wrap names the member that an error is about, unless an inner object did.
func (words vocabulary) wrap(name string, err error) error {
	var invalid *Invalid
	if errors.As(err, &invalid) {
		return err
	}
	return invalidf("invalid %s: %s: %v", words.what, name, err)
}

// array reads one array; element must read one value.
func (r *reader) array(element func() error) error {
	if r.kind() != '[' {
		return r.unexpected("an array")
	}
	if err := r.bracket(); err != nil {
		return err
	}
	for r.kind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	return r.bracket()
}

func (r *reader) unexpected(want string) error {
	v, err := r.value()
	if err != nil {
		return err
	}
	return errors.New("must be " + want + ": " + excerpt(v))
}

// long reads a whole 64-bit number, written without fraction or exponent.
func (r *reader) long(into *int64) error {
	v, err := r.value()
	if err != nil {
		return err
	}
	*into, err = strconv.ParseInt(string(v), 10, 64)
	if err != nil || v.Kind() != '0' {
		return errors.New("must be a whole 64-bit number: " + excerpt(v))
	}
	return nil
}

// int reads a whole 32-bit number.
func (r *reader) int(into *int) error {
	var n int64
	if err := r.long(&n); err != nil {
		return err
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return errors.New("must be a whole 32-bit number: " + strconv.FormatInt(n, 10))
	}
	*into = int(n)
	return nil
}

// text reads a string.
func (r *reader) text(into *string) error {
	if r.kind() != '"' {
		return r.unexpected("a string")
	}
	v, err := r.value()
	if err != nil {
		return err
	}
	if bytes.IndexByte(v, '\\') < 0 {
		*into = string(v[1 : len(v)-1])
		return nil
	}
	plain, err := jsontext.AppendUnquote(nil, v)
	*into = string(plain)
	return err
}

// bool reads true or false.
func (r *reader) bool(into *bool) error {
	if kind := r.kind(); kind != 't' && kind != 'f' {
		return r.unexpected("true or false")
	}
	v, err := r.value()
	*into = len(v) == len("true")
	return err
}

// null passes over a null and tells whether there was one.
func (r *reader) null() (bool, error) {
	if r.kind() != 'n' {
		return false, nil
	}
	return true, r.skip()
}

// orNull reads with read unless the value is null.
func orNull[T any](r *reader, read func(*T) error, into *T) error {
	if null, err := r.null(); null || err != nil {
		return err
	}
	return read(into)
}

// excerpt shows the beginning of a value.
func excerpt(v []byte) string {
	const most = 80
	if len(v) <= most {
		return string(v)
	}
	return strings.ToValidUTF8(string(v[:most]), "") + "..."
}
