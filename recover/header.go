package recover

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/klauspost/compress/gzip"

	"puddle/rest/metadata"
)

// Limits of metadata files.
const (
	maxMetadata = 512 << 20 // inflated too
	maxLog      = 100_000   // entries of a metadata log
)

// header is what descent needs of a metadata file; the rest is passed over.
type header struct {
	uuid        uuid.UUID // Nil: none
	location    string    // of the table or view
	log         []string  // the metadata log; views have none
	lastUpdated time.Time // of a view: of the last version that became current
}

// readHeader reads a metadata file, in bounded memory beside its own bytes. Its name
// says whether it is gzipped (case 1).
func readHeader(name string, data []byte) (header, error) {
	var text io.Reader = bytes.NewReader(data)
	compressed := bytes.HasPrefix(data, []byte{0x1f, 0x8b})
	switch {
	case compressed != metadata.IsCompressedName(name) && compressed:
		return header{}, errors.New("it is gzipped, which its name does not say")
	case compressed != metadata.IsCompressedName(name):
		return header{}, errors.New("it is not gzipped, as its name says")
	case compressed:
		z, err := gzip.NewReader(text)
		if err != nil {
			return header{}, fmt.Errorf("it cannot be inflated: %w", err)
		}
		text = &bounded{z, maxMetadata}
	}
	d := jsontext.NewDecoder(text, jsontext.AllowDuplicateNames(true))
	var h header
	if err := inObject(d, func(member string) error { return h.read(d, member) }); err != nil {
		return header{}, fmt.Errorf("it is no metadata file: %w", err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return header{}, errors.New("it is no metadata file: something follows its end")
	}
	return h, nil
}

// read takes one member.
func (h *header) read(d *jsontext.Decoder, member string) error {
	switch member {
	case "table-uuid", "view-uuid":
		var text string
		if err := json.UnmarshalDecode(d, &text); err != nil || text == "" {
			return err
		}
		id, err := uuid.Parse(text)
		h.uuid = id
		return err
	case "location":
		return json.UnmarshalDecode(d, &h.location)
	case "last-updated-ms":
		var ms int64
		err := json.UnmarshalDecode(d, &ms)
		h.lastUpdated = time.UnixMilli(ms)
		return err
	case "metadata-log", "version-log":
		h.log = nil
		return inArray(d, func() error { return h.entry(d) })
	}
	return d.SkipValue()
}

// entry takes one entry of a log.
func (h *header) entry(d *jsontext.Decoder) error {
	var entry struct {
		File string `json:"metadata-file"`
		At   int64  `json:"timestamp-ms"`
	}
	if err := json.UnmarshalDecode(d, &entry); err != nil {
		return err
	}
	if entry.File == "" { // a version of a view
		h.lastUpdated = time.UnixMilli(entry.At)
		return nil
	}
	if len(h.log) == maxLog {
		return fmt.Errorf("its metadata log has more than %d entries", maxLog)
	}
	h.log = append(h.log, entry.File)
	return nil
}

// inObject calls read with the name of each member, whose value it is to take.
func inObject(d *jsontext.Decoder, read func(member string) error) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	return expect(d, '}')
}

// inArray calls read for each value; null has none.
func inArray(d *jsontext.Decoder, read func() error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	if err := expect(d, '['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := read(); err != nil {
			return err
		}
	}
	return expect(d, ']')
}

func expect(d *jsontext.Decoder, kind jsontext.Kind) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("%s where %s should be", token.Kind(), kind)
	}
	return err
}

// bounded fails where there is more to read than it may.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it inflates to more than %d bytes", maxMetadata)
	}
	return n, err
}
