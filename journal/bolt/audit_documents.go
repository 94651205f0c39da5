package bolt

import (
	"context"

	"puddle/journal"
)

// documents checks what is kept of the files that an event made.
func (a *audit) documents(ctx context.Context, e journal.Event, s beside) error {
	if s.reason != "" {
		a.x.Flaw(e.Seq, true, "%s", s.reason)
	}
	return a.x.Documents(e, s.moves, func(move int) (d journal.Document, err error) {
		var data []byte
		err = a.current(ctx, func(h history) (err error) {
			data, err = h.chunks(e.Seq, move)
			return err
		})
		if err == nil && len(data) == 0 {
			err = journal.ErrNotKept
		}
		if err != nil {
			return d, err
		}
		return journal.Document{Move: move, Codec: journal.Codec(data[0]), Data: data[1:]}, nil
	})
}
