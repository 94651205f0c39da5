package verify

import (
	"puddle/projections"
	"puddle/rest/catalog"
)

// descent says of files that no event names which of them come from the current file
// of a table, and over how many of the others. Each log is read once or twice.
type descent struct {
	files  map[string]catalog.Relative // by path
	made   map[string]bool             // those that come from the current one
	length map[string]int              // files on the longest way to one, with itself; 1 while it is being found
}

// descend finds what comes from the current file of an object.
func descend(o projections.Object, files map[string]catalog.Relative) *descent {
	d := &descent{files: files, made: map[string]bool{}, length: map[string]int{}}
	heirs := map[string][]string{}
	for at, r := range files {
		for _, before := range r.Log {
			heirs[before] = append(heirs[before], at)
		}
	}
	for next := []string{catalog.Path(o.Pointer.MetadataLocation)}; len(next) > 0; {
		from := next[len(next)-1]
		next = next[:len(next)-1]
		for _, at := range heirs[from] {
			if !d.made[at] {
				d.made[at] = true
				next = append(next, at)
			}
		}
	}
	return d
}

// versions counts the files that nobody names from the current one to one, that one
// too; 0: it does not come from the current file.
func (d *descent) versions(at string) int {
	if !d.made[at] {
		return 0
	}
	return d.long(at)
}

func (d *descent) long(at string) int {
	if n, ok := d.length[at]; ok {
		return n
	}
	d.length[at] = 1
	longest := 0
	for _, before := range d.files[at].Log {
		if _, ok := d.files[before]; ok && before != at {
			longest = max(longest, d.long(before))
		}
	}
	d.length[at] = longest + 1
	return longest + 1
}
