package journal

// The two ways of Decode, for tests that compare them.
var (
	DecodeCanonical = decodeCanonical
	DecodeAny       = decodeAny
)

// WriteEvent writes the record of an event, also of one that encode refuses.
func WriteEvent(e Event) ([]byte, bool) { return written(func(w *writer) { w.event(e) }) }

// WriteText writes one string of a record.
func WriteText(s string) ([]byte, bool) { return written(func(w *writer) { w.text(s) }) }
