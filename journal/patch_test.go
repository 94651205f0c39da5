package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// patched applies what diff makes of two texts.
func patched(base, target []byte, budget int) (made, ops []byte, ok bool, err error) {
	if ops, ok = new(differ).diff(base, target, budget); !ok {
		return nil, nil, false, nil
	}
	made, err = patch{size: len(target), ops: compressor.EncodeAll(ops, nil)}.apply(nil, base)
	return made, ops, true, err
}

// text is like a document: the same words again and again, and numbers.
var text = rapid.Custom(func(t *rapid.T) []byte {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{`{"snapshot-id":`, `,"sequence-number":`, `"operation":"append"`, "17", "0", strings.Repeat("x", 40), "é"}), 0, 400).Draw(t, "words")
	numbers := rapid.SliceOfN(rapid.Int64(), 0, 40).Draw(t, "numbers")
	for i, n := range numbers {
		words = slices.Insert(words, min(i*7, len(words)), fmt.Sprint(n))
	}
	return []byte(strings.Join(words, ""))
})

// Whatever two texts are, the operations make one of the other, and never take
// more than their budget.
func TestLawPatchesMakeTheirTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := text.Draw(t, "base")
		target := base
		for range rapid.IntRange(0, 8).Draw(t, "edits") {
			from := rapid.IntRange(0, len(target)).Draw(t, "from")
			to := rapid.IntRange(from, min(len(target), from+500)).Draw(t, "to")
			target = slices.Concat(target[:from], text.Draw(t, "in between"), target[to:])
		}
		budget := rapid.IntRange(0, len(target)).Draw(t, "budget")
		made, ops, ok, err := patched(base, target, budget)
		if err != nil || ok && !bytes.Equal(made, target) || len(ops) > budget {
			t.Fatalf("of %d bytes %d are made, %d were meant, by %d of %d; %v", len(base), len(made), len(target), len(ops), budget, err)
		}
	})
}

// A few changes in a long text take about as many bytes as they are.
func TestPatchesAreSmall(t *testing.T) {
	base := document(2000)
	for name, target := range map[string][]byte{
		"the same":       base,
		"a commit":       document(2001),
		"a number":       bytes.Replace(base, []byte(`"last-sequence-number":2000`), []byte(`"last-sequence-number":2001`), 1),
		"cut in front":   base[5000:],
		"cut in between": slices.Concat(base[:300_000], base[420_001:]),
		"moved":          slices.Concat(base[700_000:], base[:700_000]),
		"put in front":   slices.Concat([]byte("new"), base),
	} {
		made, ops, ok, err := patched(base, target, len(target))
		if err != nil || !ok || !bytes.Equal(made, target) {
			t.Errorf("%s: %t, %v", name, ok, err)
		}
		if len(ops) > 2000 {
			t.Errorf("%s: %d bytes of operations", name, len(ops))
		}
	}
}

// What gains little is not kept as a patch, and what is over a limit neither.
func TestKeepPatchSaysNo(t *testing.T) {
	base := document(50)
	next := document(51)
	if _, ok := KeepPatch(0, next, Base{Seq: 5}, base, MaxDocumentBytes); !ok {
		t.Fatal("a commit is kept whole")
	}
	for name, kept := range map[string]func() (Document, bool){
		"nothing in common": func() (Document, bool) { return KeepPatch(0, next, Base{Seq: 5}, []byte("{}"), MaxDocumentBytes) },
		"on no text":        func() (Document, bool) { return KeepPatch(0, next, Base{Seq: 5}, nil, MaxDocumentBytes) },
		"small": func() (Document, bool) {
			return KeepPatch(0, next[:MinPatched-1], Base{Seq: 5}, base, MaxDocumentBytes)
		},
		"over max": func() (Document, bool) { return KeepPatch(0, next, Base{Seq: 5}, base, 40) },
		"high": func() (Document, bool) {
			return KeepPatch(0, next, Base{Seq: 5, Patches: MaxPatches}, base, MaxDocumentBytes)
		},
	} {
		if _, ok := kept(); ok {
			t.Errorf("%s: it is a patch", name)
		}
	}
	if d, ok := KeepPatch(0, next, Base{Seq: 5, Patches: MaxPatches - 1}, base, MaxDocumentBytes); !ok || d.Patches() != MaxPatches {
		t.Errorf("the last of a chain: %t, %d", ok, d.Patches())
	}
}

// Operations that make too much, nothing, or of what is not there are refused
// before memory is taken for them.
func TestApplyRefuses(t *testing.T) {
	base := []byte("0123456789")
	copies := func(distance int64, n uint64) []byte {
		return binary.AppendVarint(binary.AppendUvarint(nil, n<<1|1), distance)
	}
	for name, ops := range map[string][]byte{
		"before the base":    copies(-1, 4),
		"behind the base":    copies(8, 4),
		"far behind it":      copies(1<<62, 4),
		"too many":           copies(0, 11),
		"far too many":       copies(0, 1<<62),
		"a copy of nothing":  copies(0, 0),
		"no distance":        {4<<1 | 1},
		"nothing brought":    {0},
		"less than it says":  {4 << 1, 'a'},
		"a number too long":  bytes.Repeat([]byte{0xff}, 11),
		"fewer than it says": copies(0, 3),
		"more than it says":  slices.Concat(copies(0, 4), copies(-4, 1)),
		"nothing":            nil,
	} {
		if made, err := (patch{size: 4, ops: compressor.EncodeAll(ops, nil)}).apply(nil, base); err == nil {
			t.Errorf("%s: %q", name, made)
		}
	}
	bomb := compressor.EncodeAll(make([]byte, 1<<20), nil)
	for name, ops := range map[string][]byte{"too long": bomb, "of two frames": append(compressor.EncodeAll(copies(0, 4), nil), bomb...)} {
		if _, err := (patch{size: 4, ops: ops}).apply(nil, base); err == nil {
			t.Errorf("operations %s", name)
		}
	}
	if _, err := (patch{size: 4, ops: []byte("no frame")}).apply(nil, base); err == nil {
		t.Error("no frame")
	}
	if made, err := (patch{size: 4, ops: compressor.EncodeAll(copies(6, 4), nil)}).apply(nil, base); err != nil || string(made) != "6789" {
		t.Errorf("%q, %v", made, err)
	}
}

// An entry may not keep a patch that nobody could open.
func TestPatchesAreChecked(t *testing.T) {
	base := document(50)
	good, _ := KeepPatch(0, document(51), Base{Seq: 5}, base, MaxDocumentBytes)
	plain := Pointer{Encoding: EncodingNone}
	if err := good.check(plain, 6); err != nil {
		t.Error(err)
	}
	byteAt := func(at int, b byte) Document {
		d := good
		d.Data = bytes.Clone(good.Data)
		d.Data[at] = b
		return d
	}
	for name, err := range map[string]error{
		"of a gzip file":      good.check(Pointer{Encoding: EncodingGzip}, 6),
		"on itself":           good.check(plain, 5),
		"on a later one":      good.check(plain, 4),
		"on none":             byteAt(7, 0).check(plain, 6),
		"no patches":          byteAt(12, 0).check(plain, 6),
		"too many patches":    byteAt(12, MaxPatches+1).check(plain, 6),
		"over the limit":      byteAt(13, 0xff).check(plain, 6),
		"a part of a heading": Document{Codec: CodecPatch, Data: good.Data[:16]}.check(plain, 6),
	} {
		if !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzApply: no operations panic, and none make more than the patch says.
func FuzzApply(f *testing.F) {
	base := document(12)
	ops, _ := new(differ).diff(base, document(13), len(base))
	f.Add(base, ops, len(base))
	f.Add([]byte("0123456789"), []byte{0, 9, 1, 4 << 1, 'a', 'b', 'c', 'd'}, 4)
	f.Fuzz(func(t *testing.T, base, ops []byte, size int) {
		size = min(max(size, 0), 1<<20)
		made, err := patch{size: size, ops: compressor.EncodeAll(ops, nil)}.apply(nil, base)
		if err == nil && len(made) != size {
			t.Errorf("%d bytes, not %d", len(made), size)
		}
	})
}

// onBase opens a patch of event 6 on the document of event 5, which is whole.
func onBase(d, whole Document, plain, base []byte) ([]byte, error) {
	return Shelf(func(seq Seq, move int) (Event, Document, error) {
		switch {
		case seq == 6:
			return made(6, plain), d, nil
		case seq == 5 && move == 0:
			return made(5, base), whole, nil
		}
		return Event{}, Document{}, ErrNoEvent
	}).Open(6, 0)
}

// Every flipped bit of a patch is noticed, or makes the same document.
func TestFlippedPatches(t *testing.T) {
	base := document(12)
	whole, _ := KeepDocument(0, base, MaxDocumentBytes)
	next := document(13)
	good, _ := KeepPatch(0, next, Base{Seq: 5}, base, MaxDocumentBytes)
	if got, err := onBase(good, whole, next, base); err != nil || !bytes.Equal(got, next) {
		t.Fatal(err)
	}
	for bit := range 8 * len(good.Data) {
		flipped := Document{Codec: CodecPatch, Data: bytes.Clone(good.Data)}
		flipped.Data[bit/8] ^= 1 << (bit % 8)
		got, err := onBase(flipped, whole, next, base)
		if err == nil && !bytes.Equal(got, next) {
			t.Errorf("bit %d: another document", bit)
		}
		if damage, ok := errors.AsType[*Damage](err); err != nil && (!ok || damage.Seq != 6) {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
}

// FuzzOpen: no stored patches panic or are taken for the document they are not.
func FuzzOpen(f *testing.F) {
	base := document(12)
	whole, _ := KeepDocument(0, base, MaxDocumentBytes)
	next := document(13)
	good, _ := KeepPatch(0, next, Base{Seq: 5}, base, MaxDocumentBytes)
	f.Add(good.Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := onBase(Document{Codec: CodecPatch, Data: data}, whole, next, base)
		if err == nil && !bytes.Equal(got, next) {
			t.Errorf("%d bytes of another document", len(got))
		}
	})
}
