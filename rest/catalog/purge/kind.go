package purge

// Kind says what a file is to its table.
type Kind string

// The kinds of files.
const (
	DataFile     Kind = "data"          // data and delete files
	Manifest     Kind = "manifest"      //
	ManifestList Kind = "manifest-list" //
	Statistics   Kind = "statistics"    // of tables and of partitions
	OldMetadata  Kind = "old-metadata"  // metadata files of the metadata log
	Metadata     Kind = "metadata"      // the current metadata file
)

// kinds is the order in which files go.
var kinds = []Kind{DataFile, Manifest, ManifestList, Statistics, OldMetadata, Metadata}
