package s3test

import (
	"encoding/xml"
	"errors"
	"net/http"
)

// failure is what a request is refused with, in AWS's words.
type failure struct {
	status        int
	code, message string
}

func (f failure) Error() string { return f.code + ": " + f.message }

// denied is what a policy refuses.
var denied = failure{http.StatusForbidden, "AccessDenied", "Access Denied"}

// refuse answers an error as S3 does, or as STS.
func refuse(w http.ResponseWriter, r *http.Request, err error, sts bool) {
	var f failure
	if !errors.As(err, &f) {
		f = failure{http.StatusBadRequest, "InvalidRequest", err.Error()}
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("X-Amz-Request-Id", "0")
	w.WriteHeader(f.status)
	if r.Method == http.MethodHead {
		return
	}
	told := xmlError{Code: f.code, Message: f.message}
	if sts {
		write(w, xmlErrorResponse{Error: told, RequestID: "0"})
		return
	}
	write(w, told)
}

type xmlError struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
}

type xmlErrorResponse struct {
	XMLName   xml.Name `xml:"ErrorResponse"`
	Error     xmlError
	RequestID string `xml:"RequestId"`
}

func write(w http.ResponseWriter, document any) {
	data, err := xml.Marshal(document)
	if err != nil {
		panic(err) // these are ours
	}
	_, _ = w.Write(append([]byte(xml.Header), data...)) // whoever went away does not read it
}
