package rest

import (
	"net/http"

	"github.com/google/uuid"
)

const requestIDHeader = "X-Request-Id"

// maxRequestID is how long a client's own id may be.
const maxRequestID = 128

// requestID is the client's id of the request, if it is one that can be written
// anywhere, else a fresh UUIDv7.
func requestID(h http.Header) string {
	if id := h.Get(requestIDHeader); sane(id) {
		return id
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "no-randomness"
	}
	return id.String()
}

func sane(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
