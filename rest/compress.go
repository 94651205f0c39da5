package rest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minCompressed is the smallest body that is compressed: less fits a packet
// anyway.
const minCompressed = 1 << 10

// packers are idle writers of gzip: one takes much memory.
type packers struct{ pool sync.Pool }

func (p *packers) pack(parts [][]byte) []byte {
	var packed bytes.Buffer
	z, ok := p.pool.Get().(*gzip.Writer)
	if ok {
		z.Reset(&packed)
	} else {
		z, _ = gzip.NewWriterLevel(&packed, gzip.BestSpeed) // fails for other levels only
	}
	for _, part := range parts {
		_, _ = z.Write(part) // a buffer takes everything
	}
	_ = z.Close()
	p.pool.Put(z)
	return packed.Bytes()
}

// packed is the reply as the client would have it: compressed with gzip, if it
// is large enough and the client takes that. Its ETag stays the same.
func (r reply) packed(p *packers, h http.Header) reply {
	r.varies = r.tag != "" || r.length() >= minCompressed
	if r.length() < minCompressed || !takesGzip(h.Values("Accept-Encoding")) {
		return r
	}
	r.body, r.gzip = [][]byte{p.pack(r.body)}, true
	return r
}

// takesGzip reads Accept-Encoding (RFC 9110 §12.5.3): gzip by name or by a star,
// unless its weight is zero or below that of answers as they are.
func takesGzip(lines []string) bool {
	weights := map[string]float64{}
	for one := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		coding, parameters, _ := strings.Cut(one, ";")
		coding = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(coding)), "x-")
		weights[coding] = max(weights[coding], weight(parameters))
	}
	gzip, named := weights["gzip"]
	if !named {
		gzip = weights["*"]
	}
	return gzip > 0 && gzip >= weights["identity"]
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
