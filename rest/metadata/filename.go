package metadata

import (
	"math"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// nextVersion is one more than the version in a metadata file's name, which
// counts as 0 when there is none (case 28): in names such as
// 00012-<uuid>.metadata.json, v12.metadata.json and v12.metadata.json.gz.
func nextVersion(metadataLocation string) int64 {
	name := metadataLocation[strings.LastIndexByte(metadataLocation, '/')+1:]
	name = strings.TrimPrefix(name, "v")
	digits := strings.IndexFunc(name, func(c rune) bool { return c < '0' || '9' < c })
	if digits < 1 || name[digits] != '-' && name[digits] != '.' {
		return 1
	}
	version, err := strconv.ParseInt(name[:digits], 10, 64)
	if err != nil || version == math.MaxInt64 {
		return 1
	}
	return version + 1
}

// Suffixes of metadata files. Hadoop tables of old gzip their files under the
// last; no new file gets it (table spec, file naming; case 1).
const (
	suffix              = ".metadata.json"
	compressedSuffix    = ".gz.metadata.json"
	oldCompressedSuffix = ".metadata.json.gz"
)

// zeros are what a version of few digits begins with.
const zeros = "00000"

// fileName is where a metadata file of a version goes.
func fileName(folder string, version int64, fresh uuid.UUID, compressed bool) string {
	ending := suffix
	if compressed {
		ending = compressedSuffix
	}
	number := strconv.FormatInt(version, 10)
	return folder + "/" + zeros[min(len(number), len(zeros)):] + number + "-" + fresh.String() + ending
}

// IsFileName tells whether a location ends as metadata files do, which is how the
// Java library knows them (case 28).
func IsFileName(metadataLocation string) bool {
	return strings.HasSuffix(metadataLocation, suffix) || IsCompressedName(metadataLocation)
}

// IsCompressedName tells whether a metadata file's name says that it is gzipped
// (case 1).
func IsCompressedName(metadataLocation string) bool {
	return strings.HasSuffix(metadataLocation, compressedSuffix) || strings.HasSuffix(metadataLocation, oldCompressedSuffix)
}
