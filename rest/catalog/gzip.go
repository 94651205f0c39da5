package catalog

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipped tells whether a file begins as gzip files do.
func gzipped(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

// inflate reads a gzip file. What has more than so many bytes inside is not read to
// its end.
func inflate(data []byte, limit int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = fmt.Errorf("it inflates to more than %d bytes", limit)
	}
	return text, err
}

func deflate(text []byte) []byte {
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	_, _ = z.Write(text) // a buffer takes all
	_ = z.Close()
	return data.Bytes()
}
