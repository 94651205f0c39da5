package catalog

import (
	"bytes"
	"strings"
	"testing"
)

func always(int64) error { return nil }

// A small file that inflates to more than the limit is not read to its end.
func TestInflateHasALimit(t *testing.T) {
	data := deflate(bytes.Repeat([]byte{' '}, 1000))
	if text, err := inflate(data, 1000, always); err != nil || len(text) != 1000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := inflate(data, 999, always); err == nil || !strings.Contains(err.Error(), "999") {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := inflate(data[:len(data)-1], 1000, always); err == nil {
		t.Error("a cut file is whole")
	}
}
