package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// Limits of one block of an Avro file. Writers of manifests make blocks of 64 KiB
// (Java) or one for the whole file (PyIceberg).
const (
	MaxBlockBytes    = 64 << 20  // as it is stored
	MaxInflatedBytes = 256 << 20 // inflated
)

var (
	// ErrInvalid: the bytes are not a manifest list or manifest that this build
	// reads: torn, of something else, or over a limit. The message says why.
	ErrInvalid = errors.New("manifest: not readable")
	// ErrEncrypted: the file is in Iceberg's encrypted form (AGS1).
	ErrEncrypted = errors.New("manifest: encrypted")
)

// encryptedMagic begins files of Iceberg's AES GCM stream format.
var encryptedMagic = []byte("AGS1")

// names takes field names that Avro's grammar refuses: some writers give those
// of partition columns as they are.
var names = avro.WithLaxNames(nil)

// records yields the records of an Avro file, as far as the fields want says; no
// block may inflate to more than so many bytes. An error is the last thing that it
// yields, and wraps ErrInvalid, ErrEncrypted or what the reader failed with.
func records[T any](file io.Reader, want []field, inflated int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		in := &source{reader: file}
		r, err := open(in, want, inflated)
		if err != nil {
			yield(*new(T), in.reason(err))
			return
		}
		defer r.Close()
		for {
			record, err := next[T](r)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(record, in.reason(err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

func open(in io.Reader, want []field, inflated int64) (r *ocf.Reader, err error) {
	defer caught(&err)
	buffered := bufio.NewReader(in)
	if magic, _ := buffered.Peek(len(encryptedMagic)); bytes.Equal(magic, encryptedMagic) {
		return nil, ErrEncrypted
	}
	return ocf.NewReader(buffered,
		ocf.WithMaxBlockBytes(MaxBlockBytes), ocf.WithMaxDecompressedBlockBytes(inflated),
		ocf.WithSchemaOpts(names), ocf.WithReaderSchemaFunc(func(r *ocf.Reader) (*avro.Schema, error) {
			return project(r.Schema().Root(), want)
		}))
}

func next[T any](r *ocf.Reader) (record T, err error) {
	defer caught(&err)
	err = r.Decode(&record)
	return record, err
}

// caught turns a panic of the decoder into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the decoder gave up: %v", p)
	}
}

// source remembers what its reader failed with, which is no fault of the file.
type source struct {
	reader io.Reader
	failed error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// reason words the error of a file.
func (s *source) reason(err error) error {
	switch {
	case s.failed != nil:
		return fmt.Errorf("manifest: read: %w", s.failed)
	case errors.Is(err, ErrEncrypted):
		return err
	}
	return fmt.Errorf("%w: %w", ErrInvalid, err)
}
