package catalog

import (
	"bytes"

	"puddle/journal"
	"puddle/rest/metadata"
)

// Form answers what can be made of the document with a digest: made by create, or
// from memory, where it is kept within the bound of the documents. A name stands
// for one way of making, which depends on the document alone. What is answered
// must not be modified. The error is create's, and nothing is kept then. Safe for
// concurrent use; several may make the same at once.
func (c *Catalog) Form(of journal.Digest, name string, create func() ([]byte, error)) ([]byte, error) {
	key := form{of, name}
	if made, ok := c.documents.findForm(key); ok {
		return made, nil
	}
	made, err := create()
	if err == nil {
		c.documents.keepForm(key, made)
	}
	return made, err
}

// ReferencedSnapshots is the metadata of a table that was loaded with only those
// snapshots that a branch or tag points at; all else is there unchanged. It must
// not be modified. Invalid.
func (c *Catalog) ReferencedSnapshots(t Table) ([]byte, error) {
	return c.Form(t.Digest, "referenced snapshots", func() ([]byte, error) {
		doc, err := c.parsed(t)
		if err != nil {
			return nil, err
		}
		return doc.ReferencedSnapshots(), nil
	})
}

// parsed is a table's metadata, parsed before or now.
func (c *Catalog) parsed(t Table) (*metadata.Document, error) {
	if d, ok := c.documents.find(t.Digest); ok {
		if known := d.table.Load(); known != nil && bytes.Equal(known.Bytes(), t.Metadata) {
			return known, nil
		}
	}
	return decoded(metadata.Parse(t.Metadata, t.MetadataLocation))
}
