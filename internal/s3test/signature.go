package s3test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	algorithm   = "AWS4-HMAC-SHA256"
	timeFormat  = "20060102T150405Z"
	maxSkew     = 15 * time.Minute
	maxLifetime = 7 * 24 * time.Hour // of a presigned URL
)

// signature is what a request says of how it is signed: version 4, in its header or,
// presigned, in its query.
type signature struct {
	accessKey, region, service string
	scope                      string // date/region/service/aws4_request
	at                         string // when, in timeFormat
	lifetime                   time.Duration
	presigned                  bool
	headers                    []string // names that are signed
	value                      string
	token                      string // of a session
	payload                    string // how the body is signed
}

// readSignature reads what a request says of its signature.
func readSignature(r *http.Request) (signature, error) {
	s := signature{at: r.Header.Get("X-Amz-Date"), token: r.Header.Get("X-Amz-Security-Token"), payload: r.Header.Get("X-Amz-Content-Sha256")}
	credential, names := "", ""
	if query := r.URL.Query(); query.Has("X-Amz-Signature") {
		seconds, err := time.ParseDuration(query.Get("X-Amz-Expires") + "s")
		if err != nil || seconds < 0 || seconds > maxLifetime || query.Get("X-Amz-Algorithm") != algorithm {
			return s, failure{http.StatusBadRequest, "AuthorizationQueryParametersError", "X-Amz-Expires or X-Amz-Algorithm is not valid"}
		}
		s = signature{at: query.Get("X-Amz-Date"), token: query.Get("X-Amz-Security-Token"), payload: "UNSIGNED-PAYLOAD", lifetime: seconds, presigned: true}
		credential, names, s.value = query.Get("X-Amz-Credential"), query.Get("X-Amz-SignedHeaders"), query.Get("X-Amz-Signature")
	} else {
		fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), algorithm+" ")
		if !ok {
			return s, failure{http.StatusForbidden, "AccessDenied", "Access Denied: the request is not signed"}
		}
		for field := range strings.SplitSeq(fields, ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(field), "="); name {
			case "Credential":
				credential = value
			case "SignedHeaders":
				names = value
			case "Signature":
				s.value = value
			}
		}
	}
	parts := strings.Split(credential, "/")
	if len(parts) != 5 || parts[4] != "aws4_request" || !strings.HasPrefix(s.at, parts[1]) {
		return s, failure{http.StatusBadRequest, "AuthorizationHeaderMalformed", "the credential is not KEY/DATE/REGION/SERVICE/aws4_request of the date"}
	}
	s.accessKey, s.region, s.service = parts[0], parts[2], parts[3]
	s.scope, s.headers = strings.Join(parts[1:], "/"), strings.Split(names, ";")
	return s, nil
}

// current is an error unless the request was signed just now, or the presigned URL holds still.
func (s signature) current(now time.Time) error {
	at, err := time.Parse(timeFormat, s.at)
	switch age := now.Sub(at); {
	case err != nil:
		return failure{http.StatusForbidden, "AccessDenied", "the date of the request is not valid"}
	case s.presigned && age > s.lifetime:
		return failure{http.StatusForbidden, "AccessDenied", "Request has expired"}
	case age < -maxSkew || !s.presigned && age > maxSkew:
		return failure{http.StatusForbidden, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."}
	}
	return nil
}

// verify is an error unless the request is signed with the secret.
func (s signature) verify(r *http.Request, secret string) error {
	for name := range r.Header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") && !s.presigned && !slices.Contains(s.headers, name) {
			return failure{http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed: " + name}
		}
	}
	if !slices.Contains(s.headers, "host") || !hmac.Equal([]byte(s.sign(r, secret)), []byte(s.value)) {
		return failure{
			http.StatusForbidden, "SignatureDoesNotMatch",
			"The request signature we calculated does not match the signature you provided. Check your key and signing method.",
		}
	}
	return nil
}

// sign is the signature of the request with the secret.
func (s signature) sign(r *http.Request, secret string) string {
	var headers strings.Builder
	for _, name := range s.headers {
		headers.WriteString(name + ":" + headerValue(r, name) + "\n")
	}
	canonical := strings.Join([]string{
		r.Method, encodePath(r.URL.Path), canonicalQuery(r.URL.RawQuery), headers.String(), strings.Join(s.headers, ";"), s.payload,
	}, "\n")
	return s.seal(secret, algorithm, sum([]byte(canonical)))
}

// seal signs lines of the kind, at the time and in the scope of the request.
func (s signature) seal(secret, kind string, lines ...string) string {
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(s.scope, "/") {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, strings.Join(append([]string{kind, s.at, s.scope}, lines...), "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// headerValue is a header's value as it is signed.
func headerValue(r *http.Request, name string) string {
	if name == "host" {
		return r.Host
	}
	values := slices.Clone(r.Header.Values(name))
	for i, v := range values {
		values[i] = strings.Join(strings.Fields(v), " ")
	}
	return strings.Join(values, ",")
}

// canonicalQuery is a query as it is signed, and as AWS writes it.
func canonicalQuery(raw string) string {
	var pairs [][2]string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name = reencode(name); name != "" && name != "X-Amz-Signature" {
			pairs = append(pairs, [2]string{name, reencode(value)})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var written []string
	for _, p := range pairs {
		written = append(written, p[0]+"="+p[1])
	}
	return strings.Join(written, "&")
}

func reencode(part string) string {
	decoded, err := url.QueryUnescape(part)
	if err != nil {
		decoded = part // signed by nobody
	}
	return encode(decoded)
}

// encode is percent-encoding as version 4 has it: all but the unreserved characters.
func encode(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

func encodePath(path string) string {
	if path == "" {
		return "/"
	}
	return strings.ReplaceAll(encode(path), "%2F", "/")
}
