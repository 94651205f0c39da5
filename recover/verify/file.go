package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// file is level 3: the metadata file of an object is there, with the bytes that
// were committed. It answers the document.
func (l *looks) file(ctx context.Context, o projections.Object, s *seen) (text []byte, ok bool) {
	data, wrong, err := readFile(ctx, l.reads(), o.Pointer)
	if err != nil {
		s.unseen = append(s.unseen, Unseen{Place: o.Pointer.MetadataLocation, Message: err.Error()})
		return nil, false
	}
	s.files++
	s.bytes += int64(len(data))
	if wrong == nil {
		text, err = inflated(o.Pointer, data)
		if err == nil {
			return text, true
		}
		wrong = &trouble{kind: KindChanged, reason: err.Error(), read: true, size: o.Pointer.Size}
	}
	f := Finding{Severity: Error, Kind: wrong.kind, Place: o.Pointer.MetadataLocation, Message: wrong.reason, Next: l.mendCommand()}
	if name := l.external(o); name != "" {
		f.Message += "; it is in the external warehouse " + name + ", which is only read"
		f.Next = l.instead(ctx, o)
	}
	if at, err := l.steps(ctx, o.UUID); err == nil {
		if data == nil && wrong.read && anySized(at, wrong.size) {
			data, _ = lies(ctx, l.reads(), o.Pointer.MetadataLocation, wrong.size) // without it, less is told
		}
		f = named(f, at, o.Pointer, data)
	}
	s.broken = true
	s.find(3, o, f)
	return nil, false
}

func (r *run) mendCommand() string { return "puddle verify " + r.Name + " --repair --dry-run" }

// anySized tells whether a step led to a file of that size.
func anySized(steps []projections.Step, size int64) bool {
	return slices.ContainsFunc(steps, func(s projections.Step) bool {
		return s.Move.To != nil && s.Move.To.Pointer.Size == size
	})
}

// named adds the position of the event that moved the object to its file, and which
// version's bytes lie there instead.
func named(f Finding, steps []projections.Step, p journal.Pointer, data []byte) Finding {
	sum := journal.Sum(data)
	for i := len(steps) - 1; i >= 0; i-- {
		to := steps[i].Move.To
		switch {
		case to == nil:
		case to.Pointer == p:
			f.Seq = steps[i].Seq
		case data != nil && to.Pointer.SHA256 == sum:
			f.Message += fmt.Sprintf("; they are those of %s, of event %s", to.Pointer.MetadataLocation, steps[i].Seq)
			return f
		}
	}
	return f
}

// trouble is why a file is not the one that was committed.
type trouble struct {
	kind   Kind
	reason string
	read   bool  // something lies there, and may be read
	size   int64 // its bytes, when it may be
}

// readFile reads the file of a pointer, unless it is larger than was committed. What is wrong
// with it is a trouble, with the bytes if they were read; the error says that nobody knows.
func readFile(ctx context.Context, roots warehouse.Roots, p journal.Pointer) ([]byte, *trouble, error) {
	root, key, err := roots.Resolve(p.MetadataLocation)
	if err != nil {
		return nil, &trouble{kind: KindForeign, reason: "it is outside of the warehouse: is one of warehouses.*.allowed-locations or external-warehouses missing?"}, nil
	}
	data, err := root.Store.Get(ctx, key, p.Size)
	size := int64(len(data))
	if errors.Is(err, warehouse.ErrTooLarge) {
		var info warehouse.Info
		info, err = root.Store.Stat(ctx, key)
		size = info.Size
	}
	switch {
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrInvalidKey):
		return nil, &trouble{kind: KindMissing, reason: "the file is not there"}, nil
	case errors.Is(err, warehouse.ErrLink):
		return nil, &trouble{kind: KindChanged, reason: "a symbolic link is on the way to it, which is not followed"}, nil
	case err != nil:
		return nil, nil, err
	case size != p.Size:
		reason := fmt.Sprintf("it has %d bytes, %d were committed", size, p.Size)
		return data, &trouble{KindChanged, reason, true, size}, nil
	case journal.Sum(data) != p.SHA256:
		return data, &trouble{KindChanged, "its bytes are not those that were committed", true, p.Size}, nil
	}
	return data, nil, nil
}

// lies reads what lies in the place of a file that is not the one that was committed.
func lies(ctx context.Context, roots warehouse.Roots, at string, limit int64) ([]byte, error) {
	root, key, err := roots.Resolve(at)
	if err != nil {
		return nil, err
	}
	return root.Store.Get(ctx, key, limit)
}

// inflated is the document in a file that has the right bytes.
func inflated(p journal.Pointer, data []byte) ([]byte, error) {
	if p.Encoding != journal.EncodingGzip {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("it does not inflate: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, catalog.MaxMetadataBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it does not inflate: %w", err)
	case journal.Sum(text) != p.DocumentSHA256:
		return nil, errors.New("what it inflates to is not the document that was committed")
	}
	return text, nil
}

// belongs is the first half of level 4: the file says that it is this object's.
func (l *looks) belongs(o projections.Object, text []byte, s *seen) {
	at := o.Pointer.MetadataLocation
	var wrong string
	if o.Kind == journal.View {
		v, err := metadata.ParseView(text, at)
		switch {
		case err != nil:
			wrong = err.Error()
		default:
			wrong = apart(o, v.UUID() == o.UUID, v.Location())
		}
	} else {
		d, err := metadata.Parse(text, at)
		switch {
		case err != nil:
			wrong = err.Error()
		default:
			wrong = apart(o, d.WithUUID(o.UUID).UUID() == o.UUID, d.Location())
		}
	}
	if wrong != "" {
		s.find(4, o, Finding{Severity: Error, Kind: KindForeign, Place: at, Message: wrong, Next: "puddle history " + l.Name + " " + o.UUID.String()})
	}
}

// apart says what a document says that is not as it was recorded.
func apart(o projections.Object, same bool, location string) string {
	switch {
	case !same:
		return "it says that it is of another " + string(o.Kind)
	case catalog.Path(location) != catalog.Path(o.Location):
		return fmt.Sprintf("it says that its %s lies at %s, the event said %s", o.Kind, location, o.Location)
	}
	return ""
}
