package sidecars

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
)

const (
	maxDocument  = 512 << 20 // bytes of a metadata file, inflated
	maxAncestors = 100       // files that are read to find where two lines part
	maxLine      = 100_000   // files of a line: logs may say anything
)

// line is what is known of the files that one was made from, itself last.
type line []string

// abandon is the list of abandoned files after an event that moved the pointer of
// a table from a file to one that may not descend from it: to the list before it
// adds the first file of the line that was left, and what the table is at now, or
// came from, it takes out of it. Where lines cannot be read as far as where they
// part, the earliest file that is known of the one that was left stands for it.
func (w *work) abandon(ctx context.Context, e journal.Event, i int, before string, list []string) ([]string, error) {
	m := e.Moves()[i]
	text, err := w.From.Document(ctx, e.Seq, i)
	if err != nil && !errors.Is(err, journal.ErrNotKept) && !errors.Is(err, journal.ErrErased) {
		return nil, err
	}
	now := line{m.To.Pointer.MetadataLocation}
	if err == nil {
		now = lineOf(text, now[0])
	} else if now, err = w.longer(ctx, e, m.UUID, now); err != nil {
		return nil, err
	}
	left, err := w.longer(ctx, e, m.UUID, line{before})
	if err != nil {
		return nil, err
	}
	for range maxAncestors {
		if left.parts(now) >= 0 {
			break
		}
		longerNow, err := w.longer(ctx, e, m.UUID, now)
		if err != nil {
			return nil, err
		}
		longerLeft, err := w.longer(ctx, e, m.UUID, left)
		if err != nil {
			return nil, err
		}
		if len(longerNow) == len(now) && len(longerLeft) == len(left) {
			break
		}
		now, left = longerNow, longerLeft
	}
	if part := left.parts(now); part < len(left)-1 {
		list = append(slices.Clone(list), left[part+1])
	}
	return now.without(list), nil
}

// parts is the place of the last file that two lines have in common; -1: none is
// known.
func (l line) parts(other line) int {
	at := map[string]bool{}
	for _, f := range other {
		at[place(f)] = true
	}
	for i, f := range slices.Backward(l) {
		if at[place(f)] {
			return i
		}
	}
	return -1
}

// without are the files of a list that are not in the line, each once.
func (l line) without(list []string) []string {
	seen := map[string]bool{}
	for _, f := range l {
		seen[place(f)] = true
	}
	var others []string
	for _, f := range list {
		if !seen[place(f)] {
			seen[place(f)] = true
			others = append(others, f)
		}
	}
	return others
}

// longer is a line with what its first file was made from, as far as that can be
// read.
func (w *work) longer(ctx context.Context, e journal.Event, table uuid.UUID, l line) (line, error) {
	if len(l) > maxLine {
		return l, nil
	}
	text, err := w.document(ctx, e, table, l[0])
	if err != nil || text == nil {
		return l, err
	}
	head := lineOf(text, l[0])
	return append(head[:len(head)-1], l...), nil
}

// document is a metadata file of a table: from the warehouse, else from the journal
// before an event; nil where neither has it.
func (w *work) document(ctx context.Context, e journal.Event, table uuid.UUID, location string) ([]byte, error) {
	if root, key, err := w.Roots.Resolve(location); err == nil {
		data, err := root.Store.Get(ctx, key, maxDocument)
		if err == nil {
			data, err = inflated(data)
		}
		if err == nil && len(data) > 0 {
			return data, nil
		}
	}
	for past, err := range w.From.ScanBack(ctx, e.Seq) {
		if err != nil {
			return nil, err
		}
		for i, m := range past.Moves() {
			if m.UUID != table || m.To == nil || !samePlace(m.To.Pointer.MetadataLocation, location) {
				continue
			}
			if text, err := w.From.Document(ctx, past.Seq, i); err == nil {
				return text, nil
			}
		}
	}
	return nil, nil
}

// inflated is a file without its compression.
func inflated(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxDocument))
}

// lineOf is the line that a metadata file tells by its log.
func lineOf(text []byte, location string) line {
	var d struct {
		Log []struct {
			File string `json:"metadata-file"`
		} `json:"metadata-log"`
	}
	var l line
	if err := json.Unmarshal(text, &d, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		for _, entry := range d.Log {
			if entry.File != "" {
				l = append(l, entry.File)
			}
		}
	}
	return append(l, location)
}
