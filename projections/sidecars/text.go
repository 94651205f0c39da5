package sidecars

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/internal/warehouse"
)

var errLongLog = fmt.Errorf("its metadata log has more than %d entries", maxLine)

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
		Log log `json:"metadata-log"`
	}
	if err := json.UnmarshalRead(t, &d, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		d.Log = nil
	}
	return append(line(d.Log), location)
}

// log is the files of a metadata log, which is read entry by entry: what inflates to
// millions of them is given up after maxLine.
type log []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *log) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*l = nil
	if d.PeekKind() != '[' {
		return d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for n := 0; d.PeekKind() != ']'; n++ {
		var entry struct {
			File string `json:"metadata-file"`
		}
		if err := json.UnmarshalDecode(d, &entry); err != nil {
			return err
		}
		if n == maxLine {
			return errLongLog
		}
		if entry.File != "" {
			*l = append(*l, entry.File)
		}
	}
	_, err := d.ReadToken()
	return err
}
