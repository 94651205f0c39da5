// Package bolt is the embedded journal: the histories of all warehouses of one
// server in one bbolt file.
//
// A group of entries is one bbolt transaction, so that it is there as a whole or
// not at all, and durable before Append returns. Beside every record stands a
// checksum that covers its place, and every reader checks the chain of hashes as
// it goes: bbolt itself would not notice a flipped bit, nor a record that was
// put elsewhere. Requests, which are beside the chain, have a checksum of their own.
// What does not fit is a [journal.Damage] and never skipped.
//
// When a commit fails it is found out what became of it. After a failed write the
// file is opened anew and looked into. After a failed sync the file proves nothing:
// a copy of it is synced, read in full and put in its place. Nothing is tried
// again on a file that failed, and no reader sees what is not known to be durable.
//
// Reads hold a bbolt transaction open only while they copy some hundreds of
// records, because an open one keeps the writer from growing its map of the file.
//
// The file is locked while it is open. It should be on a local disk; on network
// file systems neither the lock nor the sync can be trusted. docs/formats/journal.md
// describes the bytes.
package bolt
