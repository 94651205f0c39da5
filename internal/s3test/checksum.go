package s3test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
)

// sums are the checksums that a header can hold of a body.
var sums = map[string]func() hash.Hash{
	"Content-Md5":              md5.New,
	"X-Amz-Checksum-Crc32":     func() hash.Hash { return crc32.NewIEEE() },
	"X-Amz-Checksum-Crc32c":    func() hash.Hash { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) },
	"X-Amz-Checksum-Crc64nvme": func() hash.Hash { return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)) },
	"X-Amz-Checksum-Sha1":      sha1.New,
	"X-Amz-Checksum-Sha256":    sha256.New,
}

// checksums is an error unless all that the header says of the body are right. What ends
// an upload in parts says those of the object.
func checksums(r *http.Request, body []byte) error {
	for name, make := range sums {
		said := r.Header.Get(name)
		if said == "" || r.URL.Query().Has("uploadId") && r.Method == http.MethodPost {
			continue
		}
		h := make()
		h.Write(body)
		if base64.StdEncoding.EncodeToString(h.Sum(nil)) != said {
			return failure{http.StatusBadRequest, "BadDigest", "The " + name + " you specified did not match the calculated checksum."}
		}
	}
	return nil
}
