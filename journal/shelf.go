package journal

import (
	"errors"
	"fmt"
)

// Shelf looks up what one incarnation keeps of a move, and the event of that move:
// ErrNoEvent, also when the move made no document, ErrNotKept, ErrErased.
type Shelf func(seq Seq, move int) (Event, Document, error)

// layer is one document of a chain.
type layer struct {
	event Event
	kept  Document
	patch patch // where that is one
}

// Open decodes the document of a move, with those that it is built on, and
// compares it with the digest that its event holds of it. The error is the shelf's,
// or *Damage when the bytes are not those that the event names, inflate to more
// than MaxInflatedBytes, or are built on what is not there or damaged: Base then
// names what is to blame.
func (s Shelf) Open(seq Seq, move int) ([]byte, error) {
	chain, err := s.chain(seq, move)
	if err != nil {
		return nil, err
	}
	plain, blamed, err := build(chain, false)
	if err != nil && len(chain) > 1 {
		_, blamed, err = build(chain, true)
	}
	if err != nil {
		return nil, chain[0].beneath(chain[blamed].event.Seq, chain[blamed].kept.Move, err)
	}
	return plain, nil
}

// File is the gzip file itself where that is kept, else what Open makes; it checks the
// document as Open does, with the same errors.
func (s Shelf) File(seq Seq, move int) ([]byte, error) {
	text, err := s.Open(seq, move)
	if err != nil {
		return nil, err
	}
	_, kept, err := s(seq, move)
	if err != nil || kept.Codec != CodecRaw {
		return text, err
	}
	return kept.Data, nil
}

// chain collects the documents that one is made of, the one first, the whole one
// last. Each is of an earlier event and of one patch less than the one before, so
// that it ends.
func (s Shelf) chain(seq Seq, move int) (chain []layer, err error) {
	for {
		var l layer
		if l.event, l.kept, err = s(seq, move); err != nil && len(chain) == 0 {
			return nil, err
		}
		if err == nil && l.kept.Codec == CodecErased {
			err = l.erased()
		}
		if err == nil && len(chain) > 0 {
			err = chain[len(chain)-1].stands(l)
		}
		if err == nil && l.kept.Codec == CodecPatch {
			if l.patch, err = l.kept.patch(); err != nil {
				err = l.event.damage("document of move %d: %w", move, err)
			}
		}
		if err != nil {
			return nil, firstOf(chain, l).beneath(seq, move, err)
		}
		if chain = append(chain, l); l.kept.Codec != CodecPatch {
			return chain, nil
		}
		seq, move = l.patch.base.Seq, l.patch.base.Move
	}
}

// erased is ErrErased, unless what is there says more than that.
func (l layer) erased() error {
	if len(l.kept.Data) > 0 {
		return l.event.damage("document of move %d is erased, and %d bytes of it are there", l.kept.Move, len(l.kept.Data))
	}
	return fmt.Errorf("%w: move %d of event %s", ErrErased, l.kept.Move, l.event.Position)
}

func firstOf(chain []layer, l layer) layer {
	if len(chain) > 0 {
		return chain[0]
	}
	return l
}

// stands checks that a layer is what the one on top of it says.
func (l layer) stands(base layer) error {
	switch want := l.patch.base; {
	case base.event.Seq >= l.event.Seq || base.event.Incarnation != l.event.Incarnation:
		return l.event.damage("document of move %d is built on that of the later event %s", l.kept.Move, base.event.Position)
	case base.kept.Patches() != want.Patches:
		return base.event.damage("it is made of %d patches, what is built on it says %d", base.kept.Patches(), want.Patches)
	}
	return nil
}

// beneath is what is wrong with a document when something is with the one of a
// move that it is, or is built on.
func (l layer) beneath(seq Seq, move int, err error) error {
	var damage *Damage
	switch isDamage := errors.As(err, &damage); {
	case seq == l.event.Seq:
		return err
	case isDamage:
		err = errors.New(damage.Reason)
	case !NotKept(err):
		return fmt.Errorf("document of move %d of event %s is built on that of move %d of event %d: %w", l.kept.Move, l.event.Position, move, seq, err)
	}
	blamed := l.event.damage("document of move %d is built on that of move %d of event %d: %w", l.kept.Move, move, seq, err)
	blamed.Base = seq
	return blamed
}

// build makes the first document of a chain from the last on. It compares that one
// with its digest, or each: blamed is then the first that is wrong.
func build(chain []layer, each bool) (plain []byte, blamed int, err error) {
	var spare []byte
	for i := len(chain) - 1; i >= 0; i-- {
		l := chain[i]
		made, err := l.make(spare, plain)
		if errors.Is(err, ErrNewer) {
			return nil, i, err
		}
		if err != nil {
			return nil, i, l.event.damage("document of move %d does not inflate: %w", l.kept.Move, err)
		}
		if i == 0 || each {
			if err := l.compare(made); err != nil {
				return nil, i, err
			}
		}
		plain, spare = made, plain
	}
	return plain, 0, nil
}

// make decodes one layer, in the memory of spare where that helps.
func (l layer) make(spare, base []byte) ([]byte, error) {
	switch l.kept.Codec {
	case CodecWholeZstd:
		return l.inflate()
	case CodecRaw:
		return inflate(l.kept.Data, MaxInflatedBytes)
	case CodecPatch:
		return l.patch.apply(spare, base)
	}
	return nil, fmt.Errorf("%w: document codec %d", ErrNewer, l.kept.Codec)
}

// inflate decodes a zstd frame. What the frame says of its size is not believed
// where the event knows better: that of a file that is not compressed.
func (l layer) inflate() ([]byte, error) {
	if moves := l.event.Moves(); l.kept.Move < len(moves) {
		to := moves[l.kept.Move].To
		if to != nil && to.Pointer.Encoding == EncodingNone && to.Pointer.Size <= MaxInflatedBytes {
			return bounded.DecodeAll(l.kept.Data, make([]byte, 0, max(to.Pointer.Size, 0)))
		}
	}
	return decompressor.DecodeAll(l.kept.Data, nil)
}

func (l layer) compare(plain []byte) error {
	want, err := l.event.DocumentDigest(l.kept.Move)
	if err != nil {
		return err
	}
	if got := Sum(plain); got != want {
		return l.event.damage("document of move %d has the digest %s, the chain says %s", l.kept.Move, got, want)
	}
	return nil
}
