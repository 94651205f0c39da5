package s3test

import (
	"io"
	"maps"
	"net/http"
)

// pieces is into how many a body that drips is cut at most.
const pieces = 64

// answer passes a reply on, or what a fault leaves of it.
func answer(w http.ResponseWriter, r *http.Request, reply *http.Response, fault Fault) {
	body, err := io.ReadAll(reply.Body)
	if err != nil || fault == Lost {
		panic(http.ErrAbortHandler)
	}
	half, flush := body[:len(body)/2], http.NewResponseController(w).Flush
	switch fault {
	case FailedAfter:
		failWith(w, r, http.StatusInternalServerError, "InternalError")
		return
	case Truncated:
		if len(body) == 0 {
			break
		}
		begin(w, reply)
		_, _ = w.Write(half)
		_ = flush()
		panic(http.ErrAbortHandler)
	}
	begin(w, reply)
	step := max(1, len(body))
	if fault == Drip {
		step = max(1, step/pieces)
	}
	for ; len(body) > 0; body = body[min(step, len(body)):] {
		if _, err := w.Write(body[:min(step, len(body))]); err != nil {
			return
		}
		_ = flush()
	}
}

func begin(w http.ResponseWriter, reply *http.Response) {
	maps.Copy(w.Header(), reply.Header)
	w.WriteHeader(reply.StatusCode)
}
