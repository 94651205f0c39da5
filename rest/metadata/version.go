package metadata

// Format versions of the Iceberg table spec: those that the REST specification
// knows, and the one of a table that is created without saying which.
const (
	oldestVersion  = 1
	newestVersion  = 3
	defaultVersion = 2
)

// checkVersion refuses a format version that is none (case 19).
func checkVersion(version int) error {
	if version < oldestVersion || version > newestVersion {
		return invalidf("Invalid format version: v%d (supported: v%d to v%d)", version, oldestVersion, newestVersion)
	}
	return nil
}
