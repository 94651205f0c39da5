// Package warehouse keeps bytes by key below the root of a storage, and says
// where a storage URL points.
//
// A [Store] is the small part of a file system and of an object store that
// both have: read, create if absent, replace, delete, list. Everything puddle
// writes into a warehouse (metadata files, sidecars, the anchor, the archive)
// goes through it, and the promise of each method is stated there: what is
// durable when it returns, and what an error leaves open.
//
// A key is a relative, slash-separated path ([CheckKey]). A key never leaves
// the root, whatever it spells and whatever links lie below the root.
//
// A [Location] is a storage URL as puddle compares it: s3, s3a and s3n name
// the same bytes, and so do file:/x, file:///x and /x. Comparison is by whole
// segments, never by string prefix. [Roots] finds the store and the key of a
// URL among a warehouse's own root and its allowed locations.
//
// The stores are the subpackages: memory, dir (a folder of a file system), s3 (a bucket
// of an object store), and over any of them leased (for who may write only for a while)
// and faulty (failing where a test says). All of them run the suite in warehousetest.
package warehouse
