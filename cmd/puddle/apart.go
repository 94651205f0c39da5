package main

import (
	"path/filepath"
	"slices"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
)

// realPlace is a root, an allowed location or an external warehouse with the folder that
// it leads to.
type realPlace struct {
	config.Place
	owner string
	real  store.Location
}

// apart refuses roots that lead to one folder, or into one another, otherwise than
// they are written: they may be links, and then one file would have two locations
// and two owners (ADR 8). The folders are there.
func apart(warehouses []*warehouse, externals ...config.External) error {
	var all []realPlace
	for _, w := range warehouses {
		for _, place := range w.Places() {
			all = append(all, realPlace{Place: place, owner: "warehouse " + w.Name})
		}
	}
	for _, e := range externals {
		if !absentFolder(e.Root) {
			all = append(all, realPlace{Place: e.Root, owner: "external warehouse " + e.Name})
		}
	}
	all = slices.DeleteFunc(all, func(p realPlace) bool { return !p.IsFolder() })
	for i := range all {
		folder, err := filepath.EvalSymlinks(all[i].Folder())
		if err != nil {
			return err
		}
		if all[i].real, err = store.ParseLocation(folder); err != nil {
			return fail(codeUsage, "%s: %s leads to %s: %v", all[i].owner, all[i].URL, folder, err)
		}
	}
	for _, a := range all {
		for _, b := range all {
			at, inside := b.real.Key(a.real)
			written, asWritten := b.Location.Key(a.Location)
			if inside && (!asWritten || at != written) {
				return fail(codeRefused, "%s of %s leads into %s of %s by a symbolic link: one file would have two locations",
					b.URL, b.owner, a.URL, a.owner)
			}
		}
	}
	return nil
}
