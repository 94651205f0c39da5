package rest

import (
	"strconv"
	"strings"
)

// minCompressed is the smallest body that is compressed: less fits a packet
// anyway.
const minCompressed = 1 << 10

// packed is the reply as the client would have it: compressed with gzip, if it
// is large enough and the client takes that. Its ETag stays the same. A document
// is compressed once for all answers that it is in.
func (c *call) packed(r reply) reply {
	r.varies = r.tag != "" || r.length() >= minCompressed
	if r.length() < minCompressed || !takesGzip(c.request.Header.Values("Accept-Encoding")) {
		return r
	}
	spans := make([]span, len(r.body))
	for i, text := range r.body {
		switch {
		case len(text) < minCompressed:
			spans[i] = stored(text)
		case i == documentPart && r.document.isKnown():
			spans[i] = c.known(r.document, text)
		default:
			spans[i] = c.server.deflaters.deflate(text)
		}
	}
	r.body, r.gzip = member(spans), true
	return r
}

// known is a document, from memory if it was compressed before.
func (c *call) known(document shown, text []byte) span {
	kept, _ := c.warehouse.Catalog.Form(document.digest, document.snapshots+" deflated", func() ([]byte, error) {
		return c.server.deflaters.deflate(text).bytes(), nil
	})
	return spanOf(kept, len(text))
}

// takesGzip reads Accept-Encoding (RFC 9110 §12.5.3): gzip by name or by a star,
// unless its weight is zero or below that of answers as they are.
func takesGzip(lines []string) bool {
	var gzip, star, identity float64
	named := false
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			coding, parameters, _ := strings.Cut(one, ";")
			coding = strings.TrimSpace(coding)
			switch w := weight(parameters); {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				gzip, named = max(gzip, w), true
			case coding == "*":
				star = max(star, w)
			case strings.EqualFold(coding, "identity"):
				identity = max(identity, w)
			}
		}
	}
	if !named {
		gzip = star
	}
	return gzip > 0 && gzip >= identity
}

// weight reads a q parameter: 1 when there is none, 0 when it cannot be read.
func weight(parameters string) float64 {
	for one := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
