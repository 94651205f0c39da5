package catalog

// Kept is what a catalog has in memory of documents, and what that was good for.
type Kept struct {
	Bytes        int64 // about; never more than a fixed limit
	Hits, Misses int64 // since the catalog was made
}

// Kept tells what is kept now. Safe for concurrent use.
func (c *Catalog) Kept() Kept {
	d := c.documents
	d.mu.RLock()
	defer d.mu.RUnlock()
	return Kept{Bytes: d.held, Hits: d.hits.Load(), Misses: d.misses.Load()}
}
