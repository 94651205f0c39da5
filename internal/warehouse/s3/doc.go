// Package s3 is a warehouse store in a bucket of an object store that speaks S3.
//
// A key is an object below a prefix of the bucket, and its bytes are all of the object.
// Engines read and write the same bucket. A [Service] is one endpoint with the credentials
// for it; the [Store]s that it opens share its connections and its limits.
//
// An object store is far away. Replies are lost, requests are delivered twice, answers end
// in the middle, and it throttles who asks too much. The package is about what can be known
// then:
//
//   - Each call makes a few tries, each of which has to make progress ([Limits]); work in the
//     background leaves room for others ([warehouse.InBackground]). When the last has
//     failed, a write has an unknown outcome, and the error says nothing else. The errors of
//     package warehouse that say that nothing was changed are given only where that is known.
//   - A create is a put that is refused where something is. Each has a random id in the
//     object's metadata, so that a refusal because of one's own object is told from one
//     because of another's (ADR 52).
//   - An object is missing when the store says of the object that it is. Neither a bucket
//     that is not there, nor a refusal, nor what a proxy answers is taken for that.
//   - What is read is as long as was told and has the checksum that the store keeps, if it
//     keeps one. What is listed ascends, or the list ends with an error.
//
// What cannot be known: a try that was lost may arrive late. A late create changes nothing
// while an object is there; where it was deleted, it comes back. A late put replaces a newer
// one. Those who write through the package live with both.
//
// Requests are of the smallest kind that all stores take: no trailing checksums, no
// multipart uploads, no copies (ADR 53).
package s3
