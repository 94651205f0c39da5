// Package vended makes credentials that reach the files of one table and nothing
// else, for a while.
//
// A [Vendor] asks an [Issuer] (AWS STS, or what speaks as it does) to assume a role,
// with a policy that narrows the role to the places of the table: its objects by
// prefixes that end in a slash, so that W/ab is out of the reach of who has W/a, and
// lists of no other prefix, and never the folders that catalogs keep for themselves. What
// the policy grants is in [ReadPolicy] and [WritePolicy], or in templates of the
// operator's. A policy is encoded, never pasted together, and a place whose name means
// more than itself in a policy is refused (case 143).
//
// Credentials are handed out again until a part of their life is left, to the same
// actor only, for the same table. Who asks at the same moment waits for the same answer,
// each as long as their own context says, and no lock is held meanwhile. A failure is told
// to those who waited for it and forgotten. Credentials hide themselves from whatever
// prints or encodes them: the one way to their text is their fields.
package vended
