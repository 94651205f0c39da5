package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/probe"
	journalpostgres "puddle/journal/postgres"
	"puddle/rest"
)

// probeAll tries what all places of a configuration do, one after the other, and whether
// its database can be reached.
func probeAll(ctx context.Context, c config.Config) *probeReport {
	r := &probeReport{Metastore: reachMetastore(ctx, c.Metastore), Places: []placeReport{}}
	for _, w := range c.Warehouses {
		for _, place := range w.Places() {
			p := placeReport{Warehouse: w.Name}
			p.look(ctx, place, w.S3, probe.Run)
			r.Places = append(r.Places, p)
		}
	}
	for _, e := range c.Externals {
		p := placeReport{Warehouse: e.Name, External: true}
		p.look(ctx, e.Root, e.S3, func(ctx context.Context, s store.Store) probe.Report { return probe.Look(ctx, s) })
		r.Places = append(r.Places, p)
	}
	for _, t := range tries(c) {
		r.Vended = append(r.Vended, t.run(ctx))
	}
	return r
}

// reachMetastore looks whether a database can be reached and would keep what it
// acknowledges, and writes nothing there. What a first start makes need not be there.
func reachMetastore(ctx context.Context, m config.Metastore) metastoreReport {
	r := metastoreReport{Type: m.Type}
	if m.Type != config.Postgres {
		return r
	}
	ctx, enough := context.WithTimeout(ctx, startTime)
	defer enough()
	p := m.PostgreSQL
	found, err := journalpostgres.Look(ctx, journalpostgres.Options{URL: p.URL, Schema: p.Schema, MaxConnections: p.MaxConnections})
	switch err = unsuited(p, err); {
	case err == nil:
		r.Reached = reached(p.Schema, found)
	case exitCode(err) == codeRefused:
		r.Finding = err.Error()
	default:
		r.Error = err.Error()
	}
	return r
}

// reached is what was found of a database that will do.
func reached(schema string, found journalpostgres.Standing) *reachedReport {
	r := &reachedReport{Role: found.Role, Database: found.Database, Primary: true, Schema: schema, Format: found.Version, Heads: []reachedHead{}}
	for id, chain := range found.Heads {
		r.Heads = append(r.Heads, reachedHead{id, chain.Head.Incarnation, chain.Head.Seq})
	}
	slices.SortFunc(r.Heads, func(a, b reachedHead) int { return bytes.Compare(a.Warehouse[:], b.Warehouse[:]) })
	return r
}

// look tries one place. A folder that is not there yet is not made.
func (p *placeReport) look(ctx context.Context, place config.Place, s3 config.S3, try func(context.Context, store.Store) probe.Report) {
	p.Location, p.Storage = place.URL, string(place.Location.Family())
	p.Findings, p.Warnings = []string{}, []string{}
	switch {
	case absentFolder(place) && p.External:
		p.Error = "there is no such folder"
		return
	case absentFolder(place):
		p.Note = "there is no such folder yet; the first start makes it"
		return
	}
	roots, closers, err := openPlaces(ctx, config.Warehouse{Name: p.Warehouse, Root: place, S3: s3}, (*rest.Metrics)(nil).Store(p.Warehouse))
	if err == nil {
		p.take(ctx, place, s3.Service, roots[0].Store, try)
	}
	for _, release := range closers {
		err = errors.Join(err, release())
	}
	if err != nil {
		p.Error = err.Error()
	}
}

func (p *placeReport) take(ctx context.Context, place config.Place, service config.Service, s store.Store, try func(context.Context, store.Store) probe.Report) {
	ctx, enough := context.WithTimeout(ctx, startTime)
	defer enough()
	if place.IsFolder() && !p.External {
		defer sweep(place.Folder(), absent(place.Folder()+"/"+store.ReservedFolder))
	}
	report := try(ctx, s)
	p.Probe = &report
	p.Findings = append(p.Findings, report.Findings()...)
	p.Warnings = append(p.Warnings, report.Warnings()...)
	if err := report.Unseen(); err != nil && !place.IsFolder() {
		p.Error = unusable(place, service, err).Error()
	} else if err != nil {
		p.Error = err.Error()
	}
}

// sweep removes the folders that probes leave in a file system, where they hold nothing;
// with all, puddle's own too.
func sweep(folder string, all bool) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return
	}
	defer root.Close()
	left, _ := fs.ReadDir(root.FS(), store.ProbeFolder)
	for _, one := range left {
		own := store.ProbeFolder + "/" + one.Name()
		_ = root.Remove(own + "/odd")
		_ = root.Remove(own)
	}
	_ = root.Remove(store.ProbeFolder)
	if all {
		_ = root.Remove(store.ReservedFolder)
	}
}
