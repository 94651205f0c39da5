package s3

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"puddle/internal/awsconfig"
	"puddle/internal/warehouse"
)

// broken is an answer that ended too early or is not what was stored.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// noStore is of an answer that leaves out what each object store says:
// something between has answered, with a page of its own or with nothing. Read as the store's,
// it would be an empty list.
func noStore(what string) error {
	return broken{errors.New("what answered is no object store, which was asked for " + what)}
}

// status is that of the answer that an error is of; 0: there was none.
func status(err error) int {
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}

// code is the object store's word for what is wrong; empty: it sent none.
func code(err error) string {
	var told smithy.APIError
	if errors.As(err, &told) {
		return told.ErrorCode()
	}
	return ""
}

// Words of S3 for what passes, whatever status comes with them.
var passes = map[string]bool{
	"ConditionalRequestConflict": true, "OperationAborted": true, // 409: another request for the key is under way
	"RequestTimeout": true, "IncompleteBody": true, "BadDigest": true, "XAmzContentSHA256Mismatch": true, // 400: it was damaged on the way
	"XAmzContentChecksumMismatch": true,
	"SlowDown":                    true, "InternalError": true, "ServiceUnavailable": true, "Throttling": true, "ThrottlingException": true,
}

// Words of S3 and of its like for credentials that are over, which AWS sends with 400, and
// for a signature of another time: the SDK has set its clock by the answer.
var overs = map[string]bool{
	"ExpiredToken": true, "ExpiredTokenException": true, "TokenRefreshRequired": true, "InvalidToken": true,
	"RequestExpired": true, "RequestTimeTooSkewed": true,
}

// passing tells whether the same request may succeed later.
func passing(err error) bool {
	if errors.As(err, new(noCredentials)) || errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, awsconfig.ErrEndless) {
		return false
	}
	answered := status(err)
	switch {
	case passes[code(err)], errors.Is(err, errStalled), errors.As(err, new(broken)):
		return true
	case errors.Is(err, io.ErrUnexpectedEOF) && asked(err): // the words of a refusal may not have come to their end
		return true
	case answered == http.StatusNotImplemented, answered == http.StatusHTTPVersionNotSupported:
		return false
	case answered >= 500, answered == http.StatusTooManyRequests, answered == http.StatusRequestTimeout:
		return true
	case answered == 0, answered < 300: // no answer, or one that cannot be read
		return errors.As(err, new(*smithyhttp.RequestSendError)) || errors.As(err, new(*smithy.DeserializationError))
	}
	return false
}

// asked tells whether an error is of a request, not of what somebody made of its answer.
func asked(err error) bool { return errors.As(err, new(*smithy.OperationError)) }

// expired tells whether fresh credentials, or the right time, may help. An answer to HEAD has no words.
func expired(err error) bool {
	answered, word := status(err), code(err)
	return overs[word] || (answered == http.StatusForbidden || answered == http.StatusBadRequest) && wordless(word)
}

// wordless tells of what the SDK puts where the store sent no code.
func wordless(word string) bool {
	switch word {
	case "", "UnknownError", "Forbidden", "BadRequest", "NotFound":
		return true
	}
	return false
}

// refused tells whether a request that failed has changed nothing for sure.
func refused(err error) bool {
	answered := status(err)
	return answered >= 400 && answered < 500 || errors.As(err, new(noCredentials)) || errors.As(err, new(*smithy.InvalidParamsError))
}

// meaning is the store's own error for one of the object store; nil: it has none.
func meaning(err error) error {
	switch word, answered := code(err), status(err); {
	case errors.As(err, new(noCredentials)):
		return warehouse.ErrDenied
	case word == "NoSuchBucket":
		return warehouse.ErrNoBucket
	case word == "NoSuchKey":
		return warehouse.ErrNotFound
	case word == "KeyTooLongError", word == "KeyTooLong":
		return warehouse.ErrInvalidKey
	case answered == http.StatusPreconditionFailed, word == "ObjectParentIsFile", word == "ExistingObjectIsDirectory":
		return warehouse.ErrExists
	case word == "XAdminUserNotFound": // 404 of versitygw for an access key id that it does not know
		return warehouse.ErrDenied
	case overs[word], answered == http.StatusForbidden, answered == http.StatusUnauthorized, word == "AccessDenied":
		return warehouse.ErrDenied
	}
	return nil
}

// failed gives an error of the object store the store's own meaning, and its text.
func failed(key string, err error) error {
	if err == nil {
		return nil
	}
	if means := meaning(err); means != nil {
		return fmt.Errorf("%w: %q: %w", means, key, err)
	}
	return fmt.Errorf("%q: %w", key, err)
}

// failed is the same for a write: a refusal says nothing of an earlier try that may have
// had its effect.
func (t *tries) failed(key string, err error) error {
	if means := meaning(err); t.unsure && (errors.Is(means, warehouse.ErrDenied) || errors.Is(means, warehouse.ErrNoBucket)) {
		return fmt.Errorf("%q: an earlier try may have had its effect, and then: %v", key, err)
	}
	return failed(key, err)
}
