package metadata

import "fmt"

// Format versions of the Iceberg table spec. newestVersion is the highest that
// the REST specification knows.
const (
	oldestSupported = 2
	newestSupported = 2
	defaultVersion  = 2
	newestVersion   = 3
)

// checkVersion tells whether this build handles a format version: nil, an
// *Unsupported for a version that exists, or an *Invalid for one that does not.
func checkVersion(version int) error {
	supported := fmt.Sprintf("supported: v%d to v%d", oldestSupported, newestSupported)
	switch {
	case version >= oldestSupported && version <= newestSupported:
		return nil
	case version >= 1 && version <= newestVersion:
		return &Unsupported{fmt.Sprintf("Unsupported format version: v%d (%s)", version, supported)}
	default:
		return invalidf("Invalid format version: v%d (%s)", version, supported)
	}
}
