package archive

import (
	"encoding/binary"

	"puddle/journal"
)

// A document in a payload: seq (8), move (4), codec (1), length (4), data. Numbers
// are big-endian. They are in the order of seq and move.
const documentExtra = 8 + 4 + 1 + 4

// place is where a document belongs.
type place struct {
	seq  journal.Seq
	move int
}

// documents are those of a segment, as the journal kept them.
type documents map[place]journal.Document

func appendDocument(payload []byte, seq journal.Seq, d journal.Document) []byte {
	payload = binary.BigEndian.AppendUint64(payload, uint64(seq))
	payload = binary.BigEndian.AppendUint32(payload, uint32(d.Move))
	payload = append(payload, byte(d.Codec))
	payload = binary.BigEndian.AppendUint32(payload, uint32(len(d.Data)))
	return append(payload, d.Data...)
}

// openDocuments reads the documents of a segment. Whether they have their digests is
// for who opens one to say.
func openDocuments(name string, data []byte) (header, documents, error) {
	h, stored, err := parse(name, data)
	if err != nil {
		return h, nil, err
	}
	payload, err := h.inflate(stored)
	if err != nil {
		return h, nil, err
	}
	all := documents{}
	for len(payload) >= documentExtra {
		at := place{journal.Seq(binary.BigEndian.Uint64(payload)), int(binary.BigEndian.Uint32(payload[8:]))}
		codec, size := journal.Codec(payload[12]), uint64(binary.BigEndian.Uint32(payload[13:]))
		payload = payload[documentExtra:]
		if size > uint64(len(payload)) || at.seq < h.First.Seq || at.seq > h.Last.Seq {
			return h, nil, h.damage(at.seq, "a document of %d bytes is not in it, or not of it", size)
		}
		all[at] = journal.Document{Move: at.move, Codec: codec, Data: payload[:size:size]}
		payload = payload[size:]
	}
	if len(payload) > 0 || len(all) != h.Count {
		return h, nil, h.damage(0, "it holds %d documents, the header says %d", len(all), h.Count)
	}
	return h, all, nil
}
