package journal

import (
	"strings"
	"unicode/utf8"
)

// Origin says through which door a request came.
type Origin string

// The doors.
const (
	OriginREST    Origin = "rest"
	OriginCLI     Origin = "cli"
	OriginRecover Origin = "recover"
	OriginImport  Origin = "import"
)

// Actor says who asked: token:NAME, oidc:ISSUER#SUB, client:ID, cli:USER,
// system:PART or anonymous. It never holds a secret.
type Actor string

// Anonymous is everybody who did not say who they are.
const Anonymous Actor = "anonymous"

// TokenActor is the holder of the static token of that name.
func TokenActor(name string) Actor { return Actor("token:" + name) }

// CLIActor is the user of the machine who ran a command.
func CLIActor(user string) Actor { return Actor("cli:" + user) }

// SystemActor is a part of puddle that acts on its own.
func SystemActor(part string) Actor { return Actor("system:" + part) }

// maxEngine is where a User-Agent is cut, in bytes.
const maxEngine = 256

// Cause is who and what made an event. Empty optional fields are not stored.
type Cause struct {
	Actor     Actor  `json:"actor"`
	Engine    string `json:"engine,omitempty"` // User-Agent, made by Engine
	Key       string `json:"key,omitempty"`    // Idempotency-Key
	Origin    Origin `json:"origin"`
	RequestID string `json:"request-id,omitempty"`
}

// Engine makes the engine of a Cause from a User-Agent: valid UTF-8, cut at 256
// bytes between characters.
func Engine(userAgent string) string { return cut(userAgent, maxEngine) }

// cut makes valid UTF-8 of at most so many bytes.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
