package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Limits of a search for the newest file.
const (
	maxSearched = 10_000 // metadata files in the folders of one table
	maxNotUsed  = 100    // of those that are none, told
)

// relative is a metadata file of a table that was found in its folders.
type relative struct {
	at  string // its location
	log []string
}

// newest finds the metadata file of a table that descends from the present one and
// that no other descends from. It is the present one when that is there and none
// descends from it. Descent is followed file by file, as a log may be short (case
// 38); numbers in names say nothing (case 37). Unsafe for several, all named;
// FileMissing when the present file is gone and none descends from it; Unsupported
// for views and for too many files.
func (c *Catalog) newest(ctx context.Context, object projections.Object) (string, []NotUsed, error) {
	if object.Kind == journal.View {
		return "", nil, refuse(Unsupported, "Nothing in the files of a view tells which is the newest: name one")
	}
	present := object.Pointer.MetadataLocation
	found, notUsed, err := c.relatives(ctx, object, nil)
	if err != nil {
		return "", nil, err
	}
	switch tips := tipsOf(found, path(present)); len(tips) {
	case 1:
		return tips[0], notUsed, nil
	case 0:
		if _, err := c.reread(ctx, object.Pointer); err != nil {
			return "", nil, sayMore(err, FileMissing, "no file of its folders descends from it; to put another in its place, name that one")
		}
		return present, notUsed, nil
	default:
		return "", nil, refuse(Unsafe, "%d metadata files of %s descend from %s, and none from the other: name one of %s",
			len(tips), object.Identifier.Quoted(), present, strings.Join(tips, ", "))
	}
}

// relatives reads the metadata files of a table in the folders that it keeps them
// in: beside the present one, below its location, and where write.metadata.path
// says. Those that its current version comes from, and those that are known, are left
// out.
func (c *Catalog) relatives(ctx context.Context, object projections.Object, known map[string]bool) (map[string]relative, []NotUsed, error) {
	present := object.Pointer.MetadataLocation
	folders := []string{present[:strings.LastIndexByte(present, '/')], trimSlash(object.Location) + "/metadata"}
	without := map[string]bool{path(present): true}
	doc, err := c.presentVersion(ctx, object)
	switch {
	case err == nil:
		folders = append(folders, doc.MetadataFolder())
		for _, before := range doc.MetadataLog() {
			without[path(before.Location)] = true
		}
	case !unreadable(err):
		return nil, nil, err
	}
	maps.Copy(without, known)
	files, err := c.metadataFiles(ctx, folders, without)
	if err != nil {
		return nil, nil, err
	}
	read, reasons := make([]relative, len(files)), make([]string, len(files))
	err = forEach(len(files), func(i int) (err error) {
		read[i], reasons[i], err = c.relative(ctx, object, files[i])
		return err
	})
	found := map[string]relative{}
	var notUsed []NotUsed
	for i, at := range files {
		switch {
		case reasons[i] != "" && len(notUsed) < maxNotUsed:
			notUsed = append(notUsed, NotUsed{at, reasons[i]})
		case read[i].at != "":
			found[path(at)] = read[i]
		}
	}
	return found, notUsed, err
}

// relative reads one file: zero when it is another table's, with a reason when it
// is no metadata.
func (c *Catalog) relative(ctx context.Context, of projections.Object, at string) (r relative, reason string, err error) {
	ctx, end := c.inTurn(ctx)
	defer end()
	f, err := c.adopt(ctx, at)
	var doc *metadata.Document
	if err == nil {
		doc, err = decoded(metadata.Parse(f.text, at))
	}
	switch {
	case unreadable(err):
		return r, err.Error(), nil
	case err != nil, doc.WithUUID(of.UUID).UUID() != of.UUID:
		return r, "", err
	}
	r.at = at
	for _, before := range doc.MetadataLog() {
		r.log = append(r.log, path(before.Location))
	}
	return r, "", nil
}

// metadataFiles lists what is named like a metadata file in folders, not below
// them. Each is spelled as its folder is.
func (c *Catalog) metadataFiles(ctx context.Context, folders []string, without map[string]bool) (files []string, err error) {
	for _, folder := range folders {
		if without[path(folder)] {
			continue // it is among them twice
		}
		without[path(folder)] = true
		root, key, err := c.source(folder)
		if err != nil {
			continue // nothing of ours is there
		}
		for entry, err := range root.Store.List(ctx, key) {
			if err != nil {
				return nil, because(Unavailable, err, "The folder %s cannot be listed at the moment", folder)
			}
			name := strings.TrimPrefix(strings.TrimPrefix(entry.Key, key), "/")
			at := folder + "/" + name
			if strings.Contains(name, "/") || !metadata.IsFileName(name) || without[path(at)] {
				continue
			}
			if files = append(files, at); len(files) > maxSearched {
				return nil, refuse(Unsupported, "There are over %d metadata files in %s: name the one that is meant", maxSearched, folder)
			}
		}
	}
	return files, nil
}

// tipsOf are the files that descend from one and that no other of these descends
// from, in their order.
func tipsOf(found map[string]relative, from string) (tips []string) {
	heirs := map[string][]string{} // by whom they name; all of who descends do, too
	for at, r := range found {
		for _, before := range r.log {
			if before != at {
				heirs[before] = append(heirs[before], at)
			}
		}
	}
	reached := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, at := range heirs[next[0]] {
			if reached[at] {
				continue
			}
			reached[at] = true
			next = append(next, at)
			if len(heirs[at]) == 0 {
				tips = append(tips, found[at].at)
			}
		}
	}
	slices.Sort(tips)
	return tips
}

// path is a location however it is spelled; what is none is as it is.
func path(location string) string {
	l, err := warehouse.ParseLocation(location)
	if err != nil {
		return location
	}
	return l.Path()
}
