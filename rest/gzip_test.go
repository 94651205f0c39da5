package rest

import (
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"
	"testing"

	"pgregory.net/rapid"
)

func TestLawSumsAreJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOf(rapid.Byte()).Draw(t, "a"), rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		want := crc32.ChecksumIEEE(append(bytes.Clone(a), b...))
		if got := joined(crc32.ChecksumIEEE(a), crc32.ChecksumIEEE(b), len(b)); got != want {
			t.Errorf("%08x, want %08x", got, want)
		}
	})
}

// Spans are one gzip member, whatever they are of and however often they were
// kept; nothing follows it.
func TestLawSpansAreOneMember(t *testing.T) {
	var d deflaters
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		var spans []span
		for _, part := range rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "parts") {
			part = bytes.Repeat(part, rapid.SampledFrom([]int{1, 100}).Draw(t, "times"))
			one := stored(part)
			if rapid.Bool().Draw(t, "deflated") {
				one = spanOf(d.deflate(part).bytes(), len(part))
			}
			text, spans = append(text, part...), append(spans, one)
		}
		packed := bytes.NewReader(bytes.Join(member(spans), nil))
		z, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, text) || packed.Len() != 0 {
			t.Errorf("%d bytes of %d, %d left over, %v", len(got), len(text), packed.Len(), err)
		}
	})
}
