package metadata

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var texts = []string{
	`{"a":1,"b":[true,false,null],"c":{}}`, " [ -1.5e+3 , \"\\\\\" ,\t\"\\\"]\" , \"}{\\\\\\\"\" ]\r\n", `[]`, `{}`, `""`, `0`, `null`, ` "a:b,c" `,
	`[[[[{"x":[{"y":"z"}]}]]],1]`, `{"a" : {"b" :[ ] } }`, `{"é\u00e9":"\ud83d\ude00"}`, `[1,`, `{"a"`, `"\`, `"\"`, `]`, `,`, ``, `:`, `tru`, `{"a":]}`, "[\x00\xff",
}

// walk reads a text value by value, and goes into arrays and objects.
func walk(c *cursor, each func(start, end int) error) error {
	if kind := c.kind(); kind == '{' || kind == '[' {
		if err := c.bracket(); err != nil {
			return err
		}
		for c.kind() != kind+2 {
			if err := walk(c, each); err != nil {
				return err
			}
		}
		return c.bracket()
	}
	v, err := c.value()
	if err != nil {
		return err
	}
	return each(c.at-len(v), c.at)
}

// FuzzCursor: what checkText passes is cut where jsontext cuts it, and nothing is
// read past its end or for ever.
func FuzzCursor(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		passed := checkText(text, "text") == nil
		whole, dec := cursor{raw: text}, jsontext.NewDecoder(bytes.NewBuffer(bytes.Clone(text)))
		if v, err := whole.value(); passed && (err != nil || !bytes.Equal(v, bytes.TrimSpace(text))) {
			t.Fatalf("%q is cut to %q, %v", text, v, err)
		}
		err := walk(&cursor{raw: text}, func(start, end int) error {
			if start >= end || end > len(text) {
				t.Fatalf("%q: a value from %d to %d", text, start, end)
			}
			for passed {
				token, err := dec.ReadToken()
				if err != nil {
					t.Fatalf("%q: one value more: %q", text, text[start:end])
				}
				if bytes.IndexByte([]byte("{}[]"), byte(token.Kind())) >= 0 {
					continue
				}
				if int(dec.InputOffset()) != end {
					t.Fatalf("%q: a value ends at %d, not at %d", text, dec.InputOffset(), end)
				}
				break
			}
			return nil
		})
		if passed && err != nil || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
