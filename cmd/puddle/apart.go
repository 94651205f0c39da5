package main

import (
	"path/filepath"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
)

// realPlace is a root or allowed location with the folder that it leads to.
type realPlace struct {
	config.Place
	warehouse string
	real      store.Location
}

// apart refuses roots that lead to one folder, or into one another, otherwise than
// they are written: they may be links, and then one file would have two locations
// and two owners (ADR 8). The folders are there.
func apart(warehouses []*warehouse) error {
	var all []realPlace
	for _, w := range warehouses {
		for _, place := range w.Places() {
			if !place.IsFolder() {
				continue
			}
			folder, err := filepath.EvalSymlinks(place.Folder())
			if err != nil {
				return err
			}
			real, err := store.ParseLocation(folder)
			if err != nil {
				return fail(codeUsage, "warehouse %s: %s leads to %s: %v", w.Name, place.URL, folder, err)
			}
			all = append(all, realPlace{place, w.Name, real})
		}
	}
	for _, a := range all {
		for _, b := range all {
			at, inside := b.real.Key(a.real)
			written, asWritten := b.Location.Key(a.Location)
			if inside && (!asWritten || at != written) {
				return fail(codeRefused, "%s of warehouse %s leads into %s of warehouse %s by a symbolic link: one file would have two locations",
					b.URL, b.warehouse, a.URL, a.warehouse)
			}
		}
	}
	return nil
}
