package sidecars

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/internal/warehouse"
)

// text is what a metadata file says, read once and never held whole. One that goes on
// after so many bytes is an error, not cut.
type text struct {
	r    io.Reader
	left int64
	err  error // why it could not be read to its end
}

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if t.left -= int64(n); t.left < 0 {
		n, err = 0, fmt.Errorf("%w: metadata file", warehouse.ErrTooLarge)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// line is the line that it tells by its log, itself last. What is no metadata tells
// nothing.
func (t *text) line(location string) line {
	var d struct {
		Log []struct {
			File string `json:"metadata-file"`
		} `json:"metadata-log"`
	}
	var l line
	if err := json.UnmarshalRead(t, &d, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		for _, entry := range d.Log {
			if entry.File != "" {
				l = append(l, entry.File)
			}
		}
	}
	return append(l, location)
}
