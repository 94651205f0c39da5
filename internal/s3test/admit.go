package s3test

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// ServeHTTP implements http.Handler: it takes what is signed by somebody who may do it,
// and passes it on.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	signed, err := readSignature(r)
	if err == nil {
		err = s.serve(w, r, signed)
	}
	if err != nil {
		refuse(w, r, err, signed.service == "sts")
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, signed signature) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return failure{http.StatusBadRequest, "IncompleteBody", err.Error()}
	}
	if signed.service == "sts" && signed.payload == "" {
		signed.payload = sum(raw)
	}
	by, err := s.who(signed, time.Now())
	if err != nil {
		return err
	}
	if err := signed.verify(r, by.secret); err != nil {
		return err
	}
	body, err := signed.plainBody(r, raw, by.secret)
	if err != nil {
		return err
	}
	if signed.service == "sts" {
		return s.assumeRole(w, r, signed.region, body)
	}
	return s.pass(w, r, by, body)
}

// who is the session that a request is signed by, or the owner of the store.
func (s *Server) who(signed signature, now time.Time) (session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by := session{secret: s.SecretAccessKey}
	if temporary, ok := s.sessions[signed.accessKey]; ok {
		by = *temporary
	} else if signed.accessKey != s.AccessKeyID {
		return by, failure{http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."}
	}
	switch {
	case signed.token != by.token:
		return by, failure{http.StatusBadRequest, "InvalidToken", "The provided token is malformed or otherwise invalid."}
	case by.token != "" && !now.Before(by.until):
		return by, failure{http.StatusBadRequest, "ExpiredToken", "The provided token has expired."}
	case signed.service != "s3" && (signed.service != "sts" || by.token != ""):
		return by, denied
	case signed.service == "s3" && signed.region != Region:
		return by, failure{http.StatusBadRequest, "AuthorizationHeaderMalformed", "the region '" + signed.region + "' is wrong; expecting '" + Region + "'"}
	}
	return by, signed.current(now)
}

// may tells whether who asks may do a thing.
func (s *Server) may(by session, d demand) bool {
	s.mu.Lock()
	forbidden := s.forbidden
	s.mu.Unlock()
	return !forbidden.denies(d) && (by.policy == nil || by.policy.allows(d))
}

// pass gives the request to the store behind, if who asks may do all of it.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, by session, body []byte) error {
	if b, ok, err := readBatch(r, body); err != nil {
		return err
	} else if ok {
		return s.passBatch(w, r, by, b)
	}
	wanted, err := demands(r)
	if err != nil {
		return err
	}
	for _, d := range wanted {
		if !s.may(by, d) {
			return denied
		}
	}
	if wanted[0].action == "s3:GetObject" {
		bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !s.may(by, demand{action: "s3:ListBucket", resource: arn + bucket, prefix: &key}) {
			w = &veiled{ResponseWriter: w, r: r}
		}
	}
	return s.behind(w, r, body)
}

// behind gives a request with a plain body to the store behind.
func (s *Server) behind(w http.ResponseWriter, r *http.Request, body []byte) error {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.Header.Set("X-Amz-Content-Sha256", unsigned)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		s.next.ServeHTTP(w, r)
		return nil
	}
	if s.ignoresConditions {
		r.Header.Del("If-None-Match")
		r.Header.Del("If-Match")
	}
	return s.conditionally(w, r)
}

// passBatch deletes what who asks may delete, and tells of the rest in the answer.
func (s *Server) passBatch(w http.ResponseWriter, r *http.Request, by session, b batch) error {
	bucket := strings.Trim(r.URL.Path, "/")
	allowed, refused := batch{Quiet: b.Quiet}, []batchError(nil)
	for _, o := range b.Objects {
		if s.may(by, o.demand(bucket)) {
			allowed.Objects = append(allowed.Objects, o)
		} else {
			refused = append(refused, batchError{o.Key, o.VersionID, denied.code, denied.message})
		}
	}
	var answer batchResult
	if len(allowed.Objects) > 0 {
		body, err := xml.Marshal(allowed)
		if err != nil {
			return err
		}
		for name := range sums {
			r.Header.Del(name)
		}
		hash := md5.Sum(body)
		r.Header.Set("Content-Md5", base64.StdEncoding.EncodeToString(hash[:]))
		inner := httptest.NewRecorder()
		if err := s.behind(inner, r, body); err != nil {
			return err
		}
		if inner.Code != http.StatusOK {
			w.WriteHeader(inner.Code)
			_, err := w.Write(inner.Body.Bytes())
			return err
		}
		if err := xml.Unmarshal(inner.Body.Bytes(), &answer); err != nil {
			return err
		}
	}
	answer.Errors = append(answer.Errors, refused...)
	w.Header().Set("Content-Type", "application/xml")
	write(w, answer)
	return nil
}

type batchResult struct {
	XMLName xml.Name      `xml:"DeleteResult"`
	Deleted []batchObject `xml:"Deleted"`
	Errors  []batchError  `xml:"Error"`
}

type batchError struct {
	Key           string
	VersionID     string `xml:"VersionId,omitempty"`
	Code, Message string
}

// veiled tells nothing of objects that are not there: S3 denies access to them instead
// for those who may not list what begins with their keys.
type veiled struct {
	http.ResponseWriter
	r      *http.Request
	hidden bool
}

// WriteHeader implements http.ResponseWriter.
func (v *veiled) WriteHeader(status int) {
	if v.hidden = status == http.StatusNotFound; !v.hidden {
		v.ResponseWriter.WriteHeader(status)
		return
	}
	v.Header().Del("Content-Length")
	refuse(v.ResponseWriter, v.r, denied, false)
}

// Write implements http.ResponseWriter.
func (v *veiled) Write(data []byte) (int, error) {
	if v.hidden {
		return len(data), nil
	}
	return v.ResponseWriter.Write(data)
}
