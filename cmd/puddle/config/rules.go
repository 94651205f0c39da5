package config

import (
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"puddle/internal/warehouse"
)

var warehouseName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// reservedNames follow v1/ in routes that have no prefix.
var reservedNames = []string{"config", "namespaces", "tables", "views", "transactions", "oauth", "aws"}

// badName says why no warehouse can have the name, or "".
func badName(name string) string {
	if !warehouseName.MatchString(name) {
		return "a warehouse's name is 1 to 63 of a-z, 0-9, dot, underscore and hyphen, and begins with a letter or digit"
	}
	if slices.Contains(reservedNames, name) {
		return "no warehouse may have this name: it is part of a route"
	}
	return ""
}

// rules checks what holds between keys.
func (d *decoder) rules(c Config) {
	d.listening(c)
	d.files(c)
	d.database(c)
	d.stores(c)
	d.nesting(c)
	d.apart(c)
	if c.KeyLifetime%time.Second != 0 {
		d.fail("idempotency.lifetime", "must be whole seconds, not %s", c.KeyLifetime)
	}
}

// listening holds the loopback rule (case 146).
func (d *decoder) listening(c Config) {
	if c.Server.MaxBodyBytes > c.Server.MaxInflightBytes && d.sound("server.max-inflight-bytes", "server.max-body-bytes") {
		d.fail("server.max-inflight-bytes", "is below server.max-body-bytes")
	}
	host, port, err := net.SplitHostPort(c.Server.Addr)
	if err != nil {
		d.fail("server.addr", "must be host:port, not %q", c.Server.Addr)
		return
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		d.fail("server.addr", "must end in a port from 0 to 65535, not %q", port)
		return
	}
	open := !isLoopback(host) && len(c.Tokens) == 0 && !c.Server.Insecure
	if open && d.sound("server.addr", "server.insecure", "authn.tokens") {
		d.fail("server.addr", "%s can be reached from other machines and nobody has to authenticate: set authn.tokens, or server.insecure: true", c.Server.Addr)
	}
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// files keeps puddle's own files apart from each other and out of the reach of
// clients, who may name any location in a warehouse.
func (d *decoder) files(c Config) {
	own := []struct{ key, path string }{
		{"data-dir", c.DataDir}, {"journal.path", c.Journal.Path}, {"metastore.sqlite.path", c.Metastore.SQLitePath},
	}
	history, tables := defaultFiles(c.DataDir)
	for i, usual := range []string{c.DataDir, history, tables} {
		if c.Metastore.Type == Memory && own[i].path != usual {
			d.fail("metastore.type", "memory keeps nothing, so %s has no use beside it", own[i].key)
		}
	}
	if c.Metastore.Type == Postgres {
		own = own[:1]
	} else if filepath.Clean(own[1].path) == filepath.Clean(own[2].path) {
		d.fail("journal.path", "is the same file as metastore.sqlite.path")
	}
	for _, file := range own {
		if _, set := d.lines[file.key]; !d.sound(file.key) || !set && !d.sound("data-dir") {
			continue
		}
		location, err := absolute(file.path)
		if err != nil {
			d.fail(file.key, "%v", err)
			continue
		}
		for _, root := range roots(c) {
			if location.Within(root.Location) {
				d.fail(file.key, "%s lies in a location of warehouse %s: clients could write there", file.path, root.warehouse)
			}
		}
		for _, e := range c.Externals {
			if location.Within(e.Root.Location) {
				d.fail(file.key, "%s lies in the external warehouse %s: files there are registered by clients, and belong to others", file.path, e.Name)
			}
		}
	}
}

func absolute(path string) (warehouse.Location, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return warehouse.Location{}, err
	}
	return warehouse.ParseLocation(abs)
}

// owned is a root or allowed location with whose it is.
type owned struct {
	Place
	warehouse, key string
}

// roots are those that could be read.
func roots(c Config) []owned {
	var all []owned
	for _, w := range c.Warehouses {
		key := join("warehouses", w.Name)
		all = append(all, owned{w.Root, w.Name, join(key, "location")})
		for i, place := range w.Allowed {
			all = append(all, owned{place, w.Name, item(join(key, "allowed-locations"), i)})
		}
	}
	return slices.DeleteFunc(all, func(o owned) bool { return o.Location.IsZero() })
}

// stores checks how object stores are reached.
func (d *decoder) stores(c Config) {
	for _, w := range c.Warehouses {
		d.reached(join("warehouses", w.Name), w.S3, w.Places()...)
	}
	for _, e := range c.Externals {
		d.reached(join("external-warehouses", e.Name), e.S3, e.Root)
	}
}

// nesting keeps the roots and allowed locations of two warehouses apart
// (formats §1), and all of them out of reserved folders. A location is what
// events and files name, so that it is one place, whatever endpoint it is reached by.
func (d *decoder) nesting(c Config) {
	all := roots(c)
	for i, one := range all {
		if warehouse.HoldsReserved(one.Location.Path()) {
			d.fail(one.key, "%s is in a folder %s, which is reserved", one.URL, warehouse.ReservedFolder)
		}
		for _, before := range all[:i] {
			if one.warehouse != before.warehouse && warehouse.Overlaps(one.Location.Path(), before.Location.Path()) {
				d.fail(one.key, "%s and %s of warehouse %s are the same or nest: two warehouses share no storage", one.URL, before.URL, before.warehouse)
			}
		}
	}
}
