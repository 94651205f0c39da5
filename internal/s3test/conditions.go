package s3test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
)

// conditionally gives the store behind what changes something. The one in this process
// does not know of conditions of what ends an upload in parts: they are checked here, while
// nobody else writes.
func (s *Server) conditionally(w http.ResponseWriter, r *http.Request) error {
	if s.backend == nil {
		s.next.ServeHTTP(w, r)
		return nil
	}
	if r.Method != http.MethodPost || !r.URL.Query().Has("uploadId") || r.Header.Get("If-None-Match")+r.Header.Get("If-Match") == "" {
		s.ending.RLock()
		defer s.ending.RUnlock()
		s.next.ServeHTTP(w, r)
		return nil
	}
	s.ending.Lock()
	defer s.ending.Unlock()
	there := httptest.NewRecorder()
	s.next.ServeHTTP(there, httptest.NewRequest(http.MethodHead, (&url.URL{Path: r.URL.Path}).String(), http.NoBody))
	exists, match := there.Code == http.StatusOK, r.Header.Get("If-Match")
	if r.Header.Get("If-None-Match") == "*" && exists || match != "" && (!exists || match != there.Header().Get("ETag")) {
		return failure{http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold"}
	}
	s.next.ServeHTTP(w, r)
	return nil
}
