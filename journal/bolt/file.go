package bolt

import (
	"context"

	"puddle/journal"
)

var _ journal.Files = reader{}

// File implements journal.Files.
func (r reader) File(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	text, err := r.Document(ctx, seq, move)
	if err != nil {
		return nil, err
	}
	var data []byte
	err = r.current(ctx, func(h history) (err error) {
		data, err = h.chunks(seq, move)
		return err
	})
	if err != nil || len(data) == 0 || journal.Codec(data[0]) != journal.CodecRaw {
		return text, err
	}
	return data[1:], nil
}
