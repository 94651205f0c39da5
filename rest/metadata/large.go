package metadata

// LargeFile is of how many bytes on, as it is stored, a metadata file is a large one: who
// reads many files at a time reads one such at a time. A gzipped file counts for what it
// inflates to, about sixteen times as much.
func LargeFile(compressed bool) int64 {
	if compressed {
		return 512 << 10
	}
	return 8 << 20
}
