package purge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// document is the current metadata of a dropped table, proven to be what the
// journal recorded: the file, else the journal's copy. When neither is to be had,
// doc is nil and lost says why. An error may pass, with another build if it says
// that this one cannot read what was committed.
func (j *Job) document(ctx context.Context, p projections.Purge) (doc *metadata.Document, lost string, err error) {
	if name := j.external(p); name != "" {
		return nil, "it is in the external warehouse " + name + ", which is only read: all files of the table stay", nil
	}
	if err := j.rooted(p); err != nil {
		return nil, "", err
	}
	text, lost, err := j.current(ctx, p.Pointer)
	if err != nil {
		return nil, "", err
	}
	if lost != "" {
		text, err = j.kept(ctx, p)
		if err != nil {
			return nil, "", fmt.Errorf("the journal's copy of %s: %w", p.Pointer.MetadataLocation, err)
		}
	}
	if text == nil {
		return nil, lost + ", and the journal keeps no copy: nothing else can be reached", nil
	}
	doc, err = metadata.Parse(text, p.Pointer.MetadataLocation)
	if err != nil {
		return nil, "", fmt.Errorf("%s, as it was committed: %w", p.Pointer.MetadataLocation, err)
	}
	return doc, "", nil
}

// rooted refuses a purge of what is outside of the roots that are configured now:
// it would find nothing that is its own, and be closed.
func (j *Job) rooted(p projections.Purge) error {
	locations := []string{p.Pointer.MetadataLocation}
	for _, place := range p.Places {
		locations = append(locations, spelled(place.Path))
	}
	for _, location := range locations {
		if _, _, err := j.Roots.Resolve(location); errors.Is(err, warehouse.ErrOutside) {
			return fmt.Errorf("it waits until the warehouse is configured with the root that holds it: %w", err)
		}
	}
	return nil
}

// spelled is a location with that path.
func spelled(path string) string {
	if strings.HasPrefix(path, "//") {
		return "s3:" + path
	}
	return path
}

// current reads the current metadata file; lost says why it is of no use.
func (j *Job) current(ctx context.Context, pointer journal.Pointer) (text []byte, lost string, err error) {
	t, reason := find(j.Roots, pointer.MetadataLocation)
	if reason != "" {
		return nil, reason, nil
	}
	data, err := t.root.Store.Get(ctx, t.key, pointer.Size)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return nil, "it is gone", nil
	case err != nil && never(err) != "":
		return nil, never(err), nil
	case err != nil:
		return nil, "", fmt.Errorf("%s: %w", pointer.MetadataLocation, err)
	case journal.Sum(data) != pointer.SHA256:
		return nil, "its bytes are not those that were committed", nil
	case pointer.Encoding == journal.EncodingGzip:
		data, err = inflate(data)
	}
	if err != nil || journal.Sum(data) != pointer.DocumentSHA256 {
		return nil, "what it inflates to is not what was committed", nil
	}
	return data, "", nil
}

// inflate reads a gzip file whose bytes were committed through puddle.
func inflate(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, journal.MaxInflatedBytes))
}

// kept is the journal's copy of the current metadata file; nil when it has none.
func (j *Job) kept(ctx context.Context, p projections.Purge) ([]byte, error) {
	steps, err := j.Reader.Steps(ctx, p.Table)
	if err != nil {
		return nil, err
	}
	for _, step := range slices.Backward(steps) {
		if step.Move.To == nil || step.Move.To.Pointer != p.Pointer {
			continue
		}
		text, err := journal.KeptOf(ctx, j.Documents, step.Event, p.Table)
		if text != nil || err != nil {
			return text, err
		}
	}
	return nil, nil
}
