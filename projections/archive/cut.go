package archive

import (
	"puddle/journal"
)

// A segment is cut after so many events or bytes, whichever comes first. The last
// event may go beyond.
const (
	MaxSegmentEvents = 500
	MaxSegmentBytes  = 256 << 10
)

// cutting is a segment in the making.
type cutting struct {
	events    header
	records   []byte // a line each
	documents []byte
	kept      int // of documents
	size      int
}

func (c *cutting) empty() bool { return c.events.Count == 0 }

// restart begins the next segment in the same memory.
func (c *cutting) restart() { *c = cutting{records: c.records[:0], documents: c.documents[:0]} }

func (c *cutting) add(e journal.Entry) {
	at := point{e.Event.Hash, e.Event.Seq}
	if c.empty() {
		c.events = header{
			Encoding: encodingZstd, First: at, Incarnation: e.Event.Incarnation, Part: eventsPart,
			Prev: e.Event.Prev, Warehouse: e.Event.Warehouse,
		}
	}
	c.events.Count, c.events.Last = c.events.Count+1, at
	c.records = append(append(c.records, e.Record...), '\n')
	for _, d := range e.Documents {
		c.documents = appendDocument(c.documents, e.Event.Seq, d)
		c.kept++
	}
	c.size = len(c.records) + len(c.documents)
}

// full tells whether the segment ends here: at a given event, or else at its limits, or
// before an event.
func (c *cutting) full(events int, until, before journal.Seq) bool {
	if until >= c.events.First.Seq {
		return c.events.Last.Seq == until
	}
	return c.events.Count >= events || c.size >= MaxSegmentBytes || c.events.Last.Seq+1 == before
}

// beside is the object of the documents; nil where there are none.
func (c *cutting) beside() (h header, data []byte, err error) {
	if c.kept == 0 {
		return h, nil, nil
	}
	h = c.events
	h.Part, h.Encoding, h.Count = documentsPart, encodingNone, c.kept
	data, err = h.object(c.documents)
	return h, data, err
}
