package catalog

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"puddle/rest/metadata"
)

// gzipped tells whether a file begins as gzip files do.
func gzipped(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

// inflate reads a gzip file. What has more than so many bytes inside is not read to
// its end, and takes no memory: the bytes are counted before they are kept, if they may.
func inflate(data []byte, limit int, may func(size int64) error) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	size, err := io.Copy(io.Discard, io.LimitReader(z, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case size > int64(limit):
		return nil, fmt.Errorf("it inflates to more than %d bytes", limit)
	}
	if err := z.Reset(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	if err := may(size); err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err = io.ReadFull(z, text)
	return text, err
}

// inflateInTurn is inflate of a metadata file, which waits for its turn when it inflates
// to a large one, however small it is stored: Unavailable.
func inflateInTurn(ctx context.Context, at string, data []byte) ([]byte, error) {
	return inflate(data, MaxMetadataBytes, func(size int64) error {
		if size <= metadata.LargeFile(false) {
			return nil
		}
		return takeTurn(ctx, at)
	})
}

func deflate(text []byte) []byte {
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	_, _ = z.Write(text) // a buffer takes all
	_ = z.Close()
	return data.Bytes()
}
