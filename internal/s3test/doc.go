// Package s3test gives tests object stores that refuse what AWS refuses.
//
// A [Server] is a front: it checks the signature (version 4, in headers or presigned, and
// of bodies in chunks), the time and the session of each request, then what the store's
// policy denies and what the session's policy allows, and passes the rest on, with a
// plain body. Behind it are objects in this process (gofakes3), or another server, for
// which requests are signed anew: who has no key of the front has none of that either.
//
// The front is also the STS: AssumeRole takes a policy for the session, and each request
// that is signed with its temporary keys is held to it. A policy in words that are not
// known here is refused, so that none is enforced less than it says.
package s3test
