package s3test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The examples of "Signature Calculations for the Authorization Header" in the manual of S3.
const (
	exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	exampleKey    = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"
	exampleTime   = "20130524T000000Z"
)

func example(t *testing.T, method, url, signed, value string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range append(header, "x-amz-date: "+exampleTime) {
		name, v, _ := strings.Cut(h, ": ")
		r.Header.Set(name, v)
	}
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s,SignedHeaders=%s,Signature=%s", exampleKey, signed, value))
	return r
}

func TestSignaturesAreThoseOfTheManual(t *testing.T) {
	empty := "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, r := range map[string]*http.Request{
		"an object": example(t, "GET", "https://examplebucket.s3.amazonaws.com/test.txt", "host;range;x-amz-content-sha256;x-amz-date",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", "Range: bytes=0-9", empty),
		"an odd key": example(t, "PUT", "https://examplebucket.s3.amazonaws.com/test$file.text", "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd", "Date: Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class: REDUCED_REDUNDANCY",
			"x-amz-content-sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
		"a subresource": example(t, "GET", "https://examplebucket.s3.amazonaws.com/?lifecycle", "host;x-amz-content-sha256;x-amz-date",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", empty),
		"a list": example(t, "GET", "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", "host;x-amz-content-sha256;x-amz-date",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", empty),
	} {
		s, err := readSignature(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.verify(r, exampleSecret); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.Method = "DELETE"; s.verify(r, exampleSecret) == nil {
			t.Errorf("%s: another method is signed too", name)
		}
	}
}

func TestPresignedIsThatOfTheManual(t *testing.T) {
	const url = "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
		"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
	for text, right := range map[string]bool{url: true, url + "&versionId=1": false, strings.Replace(url, "86400", "86401", 1): false} {
		r, err := http.NewRequest("GET", text, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		s, err := readSignature(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.verify(r, exampleSecret); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// chunked is the example of an upload in chunks of 64 KiB, 1 KiB and none.
func chunked(signatures [3]string, trailer string) []byte {
	var b bytes.Buffer
	for i, size := range []int{64 << 10, 1 << 10, 0} {
		fmt.Fprintf(&b, "%x;chunk-signature=%s\r\n%s", size, signatures[i], strings.Repeat("a", size))
		if size > 0 {
			b.WriteString("\r\n")
		}
	}
	b.WriteString(trailer + "\r\n")
	return b.Bytes()
}

func TestChunksAreThoseOfTheManual(t *testing.T) {
	const url = "https://s3.amazonaws.com/examplebucket/chunkObject.txt"
	common := []string{"Content-Encoding: aws-chunked", "x-amz-decoded-content-length: 66560", "x-amz-storage-class: REDUCED_REDUNDANCY"}
	plain := func() *http.Request {
		return example(t, "PUT", url, "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class",
			"4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
			append(common, "Content-Length: 66824", "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD")...)
	}
	trailing := func() *http.Request {
		return example(t, "PUT", url, "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer",
			"106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
			append(common, "x-amz-trailer: x-amz-checksum-crc32c", "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")...)
	}
	for name, c := range map[string]struct {
		request func() *http.Request
		body    []byte
	}{
		"chunks": {plain, chunked([3]string{
			"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648", "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
			"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
		}, "")},
		"chunks with a trailer": {trailing, chunked([3]string{
			"b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2", "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
			"2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
		}, "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n")},
	} {
		read := func(body []byte) error {
			r := c.request()
			s, err := readSignature(r)
			if err != nil {
				return err
			}
			if err := s.verify(r, exampleSecret); err != nil {
				return err
			}
			got, err := s.plainBody(r, body, exampleSecret)
			if err == nil && string(got) != strings.Repeat("a", 66560) {
				t.Errorf("%s: %d bytes", name, len(got))
			}
			if coding := r.Header.Get("Content-Encoding"); err == nil && coding != "" {
				t.Errorf("%s: a plain body is %s", name, coding)
			}
			return err
		}
		if err := read(c.body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for what, at := range map[string]int{"the first chunk": 100, "the last chunk's signature": len(c.body) - 10} {
			broken := bytes.Clone(c.body)
			if broken[at] ^= 1; read(broken) == nil {
				t.Errorf("%s: %s is changed", name, what)
			}
		}
		if read(c.body[:70000-len("a")-4500]) == nil {
			t.Errorf("%s: it ends early", name)
		}
	}
}

// TestUnsignedChunksHaveAChecksum is how some send bodies: no chunk is signed, the
// trailer has a checksum of all.
func TestUnsignedChunksHaveAChecksum(t *testing.T) {
	for trailer, right := range map[string]bool{
		"x-amz-checksum-crc32:DUoRhQ==\r\n\r\n": true, "x-amz-checksum-crc32:DUoRhQ==": true,
		"x-amz-checksum-crc32:DUoRhA==\r\n\r\n": false, "x-amz-checksum-crc32c:DUoRhQ==\r\n\r\n": false, "\r\n": false,
	} {
		r := example(t, "PUT", "http://localhost/b/k", "host", "", "x-amz-trailer: x-amz-checksum-crc32", "x-amz-decoded-content-length: 11",
			"Content-Encoding: gzip,aws-chunked", "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER")
		s, err := readSignature(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.plainBody(r, []byte("6\r\nhello \r\n5\r\nworld\r\n0\r\n"+trailer), "")
		if (err == nil) != right || err == nil && string(got) != "hello world" {
			t.Errorf("%q: %q %v", trailer, got, err)
		}
		if coding := r.Header.Get("Content-Encoding"); err == nil && coding != "gzip" {
			t.Errorf("%q is left of its codings", coding)
		}
	}
}
