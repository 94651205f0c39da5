package descent

import "puddle/internal/warehouse"

// Newest is the file that an operator would look at first among those of one uuid: the
// only one that no other was made from, else the last one by time. There is at least
// one.
func Newest(files []File) File {
	passed := set{}
	for _, file := range files {
		for _, before := range file.Log {
			if before != file.Location {
				passed[before] = true
			}
		}
	}
	var ends []File
	for _, file := range files {
		if !passed[file.Location] {
			ends = append(ends, file)
		}
	}
	if len(ends) == 1 {
		return ends[0]
	}
	newest := files[0]
	for _, file := range files[1:] {
		if file.LastUpdated.After(newest.LastUpdated) || file.LastUpdated.Equal(newest.LastUpdated) && less(newest.Location, file.Location) {
			newest = file
		}
	}
	return newest
}

func less(a, b warehouse.Location) bool { return a.Path() < b.Path() }
