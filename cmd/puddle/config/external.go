package config

import "puddle/internal/warehouse"

// External is a place that is only read: tables and views can be registered in any
// warehouse whose files lie in it.
type External struct {
	Name string
	Root Place
	S3   S3 // how it is reached where it is in an object store
}

// external reads the block of all of them.
func (d *decoder) external(b *block, c *Config) {
	for _, name := range append([]string(nil), b.names...) {
		key := join(b.key, name)
		if reason := badName(name); reason != "" {
			d.fail(key, "%s", reason)
		}
		e := External{Name: name, S3: newS3()}
		one := b.block(name)
		location := ""
		one.text("location", &location)
		d.s3(one.block("s3"), &e.S3)
		one.end()
		e.Root = d.place(join(key, "location"), location)
		c.Externals = append(c.Externals, e)
	}
}

// apart keeps external warehouses from being anything else: what is only read is nowhere
// written, and one file is reached in one way, with one store's credentials.
func (d *decoder) apart(c Config) {
	for i, e := range c.Externals {
		key := join("external-warehouses", e.Name)
		at := join(key, "location")
		for _, w := range c.Warehouses {
			if w.Name == e.Name {
				d.fail(key, "a warehouse has this name")
			}
		}
		if e.Root.Location.IsZero() {
			continue
		}
		if warehouse.HoldsReserved(e.Root.Location.Path()) {
			d.fail(at, "%s is in a folder %s, which is reserved: nothing is registered from there", e.Root.URL, warehouse.ReservedFolder)
		}
		for _, root := range roots(c) {
			if warehouse.Overlaps(e.Root.Location.Path(), root.Location.Path()) {
				d.fail(at, "%s and %s of warehouse %s are the same or nest: what is only read is nowhere written", e.Root.URL, root.URL, root.warehouse)
			}
		}
		for _, before := range c.Externals[:i] {
			if !before.Root.Location.IsZero() && warehouse.Overlaps(e.Root.Location.Path(), before.Root.Location.Path()) {
				d.fail(at, "%s and %s of external warehouse %s are the same or nest: a file is read with the credentials of one", e.Root.URL, before.Root.URL, before.Name)
			}
		}
	}
}
