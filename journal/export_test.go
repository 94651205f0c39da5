package journal

// The two ways of Decode, for tests that compare them.
var (
	DecodeCanonical = decodeCanonical
	DecodeAny       = decodeAny
)
