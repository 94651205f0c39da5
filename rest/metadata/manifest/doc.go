// Package manifest reads the Avro files between a snapshot and its data: the
// manifest list, which names manifests, and the manifest, which names data and
// delete files. It is pure: bytes in, names out.
//
// Only the fields that tell what a table's files are get decoded; the rest, such
// as partitions and column bounds, is passed over. A field is known by its name
// and must have the field id that the Iceberg spec gives it, where the file has
// ids. Fields that this build does not know, whether newer or a writer's own, do
// no harm, and neither do missing ones that later format versions brought.
//
// Manifests are written by clients, so nothing in them is trusted: what they hold
// is a claim. Every file ends in an error instead of a panic, and takes bounded
// memory: one block at a time, inflated to at most [MaxInflatedBytes].
//
// # Entries of files that were deleted
//
// A manifest names three sorts of files: existing, added and deleted. A deleted
// one is no longer in the snapshot, but may be in an older one, and was the
// table's either way. All are yielded, as Iceberg's own drop of a table
// (CatalogUtil.dropTableData) reads them all; [Entry.Status] tells them apart.
package manifest
