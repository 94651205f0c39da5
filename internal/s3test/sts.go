package s3test

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// RoleARN is the role that can be assumed: it may do everything, and a session what its
// policy allows of that.
const RoleARN = "arn:aws:iam::123456789012:role/puddle-tables"

const (
	maxPolicy       = 2048 // characters
	defaultDuration = time.Hour
	minDuration     = 15 * time.Minute
	maxDuration     = 12 * time.Hour
)

var (
	sessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
	policyText  = regexp.MustCompile("^[\t\n\r\x20-\u00ff]+$")
)

// Assumed is a request for a session that was granted.
type Assumed struct {
	SessionName, Policy, ExternalID string
	Region                          string // that it was signed for
	Duration                        time.Duration
	AccessKeyID                     string // of the session
}

// session is who signs with temporary keys.
type session struct {
	accessKey, secret, token string
	until                    time.Time
	policy                   *policy // nil: all that the role may
}

// FailSTS makes STS answer every request with this status and no credentials, until it is
// 0 again. Sessions that are there go on.
func (s *Server) FailSTS(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stsStatus = status
}

// LastFor makes new sessions end so long after they begin, whatever is asked for: at once,
// and before, too. 0: as long as asked.
func (s *Server) LastFor(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastFor = d
}

// EndSessions ends all sessions that there are.
func (s *Server) EndSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		one.until = time.Time{}
	}
}

// Assumed are the sessions that were granted, in order.
func (s *Server) Assumed() []Assumed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Assumed(nil), s.assumed...)
}

// assumeRole answers AssumeRole, the only thing that this STS can do, in its query
// protocol.
func (s *Server) assumeRole(w http.ResponseWriter, r *http.Request, region string, body []byte) error {
	if r.Method != http.MethodPost {
		return failure{http.StatusBadRequest, "InvalidAction", "STS takes a form by POST"}
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return failure{http.StatusBadRequest, "InvalidAction", "the form is not valid"}
	}
	if form.Get("Action") != "AssumeRole" || form.Get("Version") != "2011-06-15" {
		return failure{http.StatusBadRequest, "InvalidAction", "Could not find operation " + form.Get("Action") + " for version " + form.Get("Version")}
	}
	a := Assumed{
		SessionName: form.Get("RoleSessionName"), Policy: form.Get("Policy"), ExternalID: form.Get("ExternalId"),
		Region: region, Duration: defaultDuration,
	}
	if text := form.Get("DurationSeconds"); text != "" {
		seconds, err := strconv.Atoi(text)
		if a.Duration = time.Duration(seconds) * time.Second; err != nil || a.Duration < minDuration || a.Duration > maxDuration {
			return invalid("durationSeconds", "must have value between 900 and 43200")
		}
	}
	limits, err := a.check()
	if err != nil {
		return err
	}
	made, err := s.begin(form.Get("RoleArn"), a, limits)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/xml")
	write(w, made)
	return nil
}

// check reads the policy, nil for none.
func (a Assumed) check() (*policy, error) {
	if !sessionName.MatchString(a.SessionName) {
		return nil, invalid("roleSessionName", "must satisfy regular expression pattern: [\\w+=,.@-]*, and have 2 to 64 characters")
	}
	if a.Policy == "" {
		return nil, nil
	}
	if utf8.RuneCountInString(a.Policy) > maxPolicy {
		return nil, invalid("policy", "must have length less than or equal to 2048")
	}
	if !policyText.MatchString(a.Policy) {
		return nil, invalid("policy", "must satisfy regular expression pattern: [\\u0009\\u000A\\u000D\\u0020-\\u00FF]+")
	}
	limits, err := parsePolicy(a.Policy)
	if err != nil {
		return nil, failure{http.StatusBadRequest, "MalformedPolicyDocument", "This policy contains invalid JSON or elements: " + err.Error()}
	}
	return limits, nil
}

func invalid(what, why string) error {
	return failure{http.StatusBadRequest, "ValidationError", fmt.Sprintf("1 validation error detected: Value at '%s' failed to satisfy constraint: Member %s", what, why)}
}

// begin begins a session.
func (s *Server) begin(role string, a Assumed, limits *policy) (*assumeRoleResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stsStatus != 0 {
		return nil, failure{s.stsStatus, "ServiceUnavailable", "The request has failed due to a temporary failure of the server."}
	}
	if role != RoleARN || s.externalID != "" && a.ExternalID != s.externalID {
		return nil, failure{http.StatusForbidden, "AccessDenied", "User: " + s.AccessKeyID + " is not authorized to perform: sts:AssumeRole on resource: " + role}
	}
	length := a.Duration
	if s.lastFor != 0 {
		length = s.lastFor
	}
	n := len(s.sessions) + 1
	one := &session{
		accessKey: fmt.Sprintf("ASIA%016d", n), secret: fmt.Sprintf("secret/of+session=%d", n), token: fmt.Sprintf("token/of+session==%d", n),
		until: time.Now().Add(length).Truncate(time.Second), policy: limits,
	}
	s.sessions[one.accessKey] = one
	a.AccessKeyID = one.accessKey
	s.assumed = append(s.assumed, a)
	answer := &assumeRoleResponse{RequestID: "0"}
	answer.Result.User.ID = "AROAPUDDLE:" + a.SessionName
	answer.Result.User.ARN = strings.Replace(strings.Replace(role, ":iam:", ":sts:", 1), ":role/", ":assumed-role/", 1) + "/" + a.SessionName
	answer.Result.PackedPolicySize = len(a.Policy) * 100 / maxPolicy
	answer.Result.Credentials = temporaryKeys{one.accessKey, one.secret, one.token, one.until.UTC().Format(time.RFC3339)}
	return answer, nil
}

type assumeRoleResponse struct {
	XMLName xml.Name `xml:"https://sts.amazonaws.com/doc/2011-06-15/ AssumeRoleResponse"`
	Result  struct {
		User struct {
			ID  string `xml:"AssumedRoleId"`
			ARN string `xml:"Arn"`
		} `xml:"AssumedRoleUser"`
		Credentials      temporaryKeys
		PackedPolicySize int
	} `xml:"AssumeRoleResult"`
	RequestID string `xml:"ResponseMetadata>RequestId"`
}

type temporaryKeys struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      string
}
