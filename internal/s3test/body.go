package s3test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Ways to sign a body; any other is the sum of it.
const (
	unsigned         = "UNSIGNED-PAYLOAD"
	unsignedTrailer  = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
	signedChunks     = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
	signedTrailer    = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
	maxBody          = 1 << 30
	trailerSignature = "x-amz-trailer-signature"
)

// plainBody takes the body of a request that is signed with the secret out of its chunks
// (aws-chunked), checks their signatures and the checksums, and makes the headers those
// of the plain body: what a trailer said stands there.
func (s signature) plainBody(r *http.Request, raw []byte, secret string) (plain []byte, err error) {
	switch s.payload {
	case unsigned:
		plain = raw
	case unsignedTrailer, signedChunks, signedTrailer:
		c := chunks{in: bufio.NewReader(bytes.NewReader(raw)), signature: s, secret: secret, last: s.value}
		if plain, err = c.read(r.Header); err != nil {
			return nil, err
		}
		if said := r.Header.Get("X-Amz-Decoded-Content-Length"); said != strconv.Itoa(len(plain)) {
			return nil, failure{http.StatusBadRequest, "IncompleteBody", "the body has " + strconv.Itoa(len(plain)) + " bytes, not " + said}
		}
	default:
		if plain = raw; s.payload != sum(raw) {
			return nil, failure{
				http.StatusBadRequest, "XAmzContentSHA256Mismatch",
				"The provided 'x-amz-content-sha256' header does not match what was computed.",
			}
		}
	}
	for _, name := range []string{"X-Amz-Trailer", "X-Amz-Decoded-Content-Length", "X-Amz-Sdk-Checksum-Algorithm"} {
		r.Header.Del(name)
	}
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Content-Encoding"), ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && coding != "aws-chunked" {
			codings = append(codings, coding)
		}
	}
	r.Header.Del("Content-Encoding")
	if len(codings) > 0 {
		r.Header.Set("Content-Encoding", strings.Join(codings, ","))
	}
	return plain, checksums(r, plain)
}

// chunks reads an aws-chunked body.
type chunks struct {
	in        *bufio.Reader
	signature signature
	secret    string
	last      string // signature, of the chunk before
}

func (c *chunks) read(header http.Header) (plain []byte, err error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		length, signed, _ := strings.Cut(line, ";chunk-signature=")
		n, err := strconv.ParseUint(length, 16, 31)
		if err != nil {
			return nil, failure{http.StatusBadRequest, "IncompleteBody", "a chunk's head is not valid: " + line}
		}
		chunk := make([]byte, min(n, maxBody))
		if _, err := io.ReadFull(c.in, chunk); err != nil {
			return nil, failure{http.StatusBadRequest, "IncompleteBody", "a chunk ends early"}
		}
		if c.signature.payload != unsignedTrailer {
			if err := c.check(signed, algorithm+"-PAYLOAD", sum(nil), sum(chunk)); err != nil {
				return nil, err
			}
		}
		if n == 0 {
			return plain, c.trailer(header)
		}
		plain = append(plain, chunk...)
		if end, err := c.line(); err != nil || end != "" {
			return nil, failure{http.StatusBadRequest, "IncompleteBody", "a chunk is longer than it says"}
		}
	}
}

// check is an error unless the signature follows from the one before.
func (c *chunks) check(signed, kind string, sums ...string) error {
	want := c.signature.seal(c.secret, kind, append([]string{c.last}, sums...)...)
	if !hmac.Equal([]byte(signed), []byte(want)) {
		return failure{http.StatusForbidden, "SignatureDoesNotMatch", "the signature of a chunk does not match"}
	}
	c.last = want
	return nil
}

// trailer makes headers of the fields behind the last chunk.
func (c *chunks) trailer(header http.Header) error {
	if c.signature.payload == signedChunks {
		return nil
	}
	var fields strings.Builder
	signed := ""
	for {
		line, err := c.line()
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); strings.EqualFold(name, trailerSignature) {
			signed = value
		} else {
			header.Set(name, value)
			fields.WriteString(strings.ToLower(name) + ":" + value + "\n")
		}
		if err != nil { // some end the last line with the body
			break
		}
	}
	for name := range strings.SplitSeq(header.Get("X-Amz-Trailer"), ",") {
		if name = strings.TrimSpace(name); name != "" && header.Get(name) == "" {
			return failure{http.StatusBadRequest, "MalformedTrailerError", "the trailer has no " + name}
		}
	}
	if c.signature.payload == signedTrailer {
		return c.check(signed, algorithm+"-TRAILER", sum([]byte(fields.String())))
	}
	return nil
}

// line is the next line, without its end.
func (c *chunks) line() (string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return strings.TrimRight(line, "\r\n"), failure{http.StatusBadRequest, "IncompleteBody", "the body ends early"}
	}
	return strings.TrimRight(line, "\r\n"), nil
}
