// Package s3 is a warehouse store in a bucket of an object store that speaks S3.
//
// A key is an object below a prefix of the bucket. Engines read and write the same
// bucket. A [Service] is one endpoint with the credentials for it; the stores that it
// opens share its connections.
package s3
