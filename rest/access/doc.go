// Package access says who is asking.
//
// A [Guard] knows the static bearer tokens of the configuration. It turns what a
// request brings into a [Caller], whose actor is written into every event the
// request makes. Without tokens everybody is anonymous. Requests over the
// server's own socket carry their caller in the context, put there by whoever
// accepted the connection ([WithActor]); nothing that a client sends can.
//
// Tokens are held and compared as SHA-256 digests, all of them each time and in
// constant time, and never appear in errors, logs or events.
package access
