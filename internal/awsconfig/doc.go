// Package awsconfig is as whom, and over which connections, AWS and its like are asked.
//
// What is asked, and where, is in the configuration of the server alone: an environment that
// names other endpoints, profiles or ways to try again changes nothing of it, as it changes
// nothing of what a server is built from (case 145). The environment counts where the
// configuration leaves the question to it: who asks, without keys of one's own, and how a
// machine reaches others, by proxies (HTTPS_PROXY) and the authorities that it trusts
// (AWS_CA_BUNDLE).
//
// What is asked of all of them in the same way is here too: an answer has an end ([Bounded]),
// and credentials that are over before they said so are asked for anew ([Renewal]).
package awsconfig
