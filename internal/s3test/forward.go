package s3test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// forward is another object store: requests are signed anew, with a key of its own, and
// passed on.
type forward struct {
	endpoint          string
	accessKey, secret string
	client            *http.Client
}

func newForward(endpoint, accessKey, secret string) *forward {
	return &forward{endpoint, accessKey, secret, &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ServeHTTP implements http.Handler.
func (f *forward) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := f.ask(r)
	if err != nil {
		refuse(w, r, failure{http.StatusServiceUnavailable, "ServiceUnavailable", err.Error()}, false)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // the client sees that it ends early
}

// hops are headers of one connection.
var hops = []string{"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "Accept-Encoding"}

func (f *forward) ask(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var pairs []string
	for pair := range strings.SplitSeq(canonicalQuery(r.URL.RawQuery), "&") {
		if pair != "" && !strings.HasPrefix(strings.ToLower(pair), "x-amz-") {
			pairs = append(pairs, pair)
		}
	}
	to := f.endpoint + encodePath(r.URL.Path) + "?" + strings.Join(pairs, "&")
	out, err := http.NewRequestWithContext(r.Context(), r.Method, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	for _, name := range append(hops, "Authorization", "X-Amz-Security-Token") {
		out.Header.Del(name)
	}
	f.sign(out, sum(body))
	return f.client.Do(out)
}

func (f *forward) sign(r *http.Request, payload string) {
	at := time.Now().UTC()
	r.Header.Set("X-Amz-Date", at.Format(timeFormat))
	r.Header.Set("X-Amz-Content-Sha256", payload)
	s := signature{at: at.Format(timeFormat), scope: at.Format("20060102") + "/" + Region + "/s3/aws4_request", headers: []string{"host"}, payload: payload}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") {
			s.headers = append(s.headers, strings.ToLower(name))
		}
	}
	slices.Sort(s.headers)
	r.Header.Set("Authorization", algorithm+" Credential="+f.accessKey+"/"+s.scope+", SignedHeaders="+strings.Join(s.headers, ";")+", Signature="+s.sign(r, f.secret))
}
