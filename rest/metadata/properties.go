package metadata

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Properties that change what this package does.
const (
	propertyFormatVersion    = "format-version"
	propertyMetadataPath     = "write.metadata.path"
	propertyCompression      = "write.metadata.compression-codec"
	propertyPreviousVersions = "write.metadata.previous-versions-max"
	propertyColumnMetrics    = "write.metadata.metrics.column."
	propertyParquetCodec     = "write.parquet.compression-codec"
)

// previousVersionsDefault is how many metadata log entries are kept.
const previousVersionsDefault = 100

// property is one table property.
type property struct{ key, value string }

func readProperty(key string, raw jsontext.Value, _ int) (property, error) {
	p := property{key: key}
	if err := newReader(raw).text(&p.value); err != nil {
		return p, invalidf("invalid property %s: %v", key, err)
	}
	return p, nil
}

func (p property) text() rope {
	return rope{memberKey(p.key), quote(p.value)}
}

// reserved tells whether a key is one that the Java library keeps for switches
// and never stores (TableProperties.RESERVED_PROPERTIES; case 20).
func reserved(key string) bool {
	switch key {
	case propertyFormatVersion, "uuid", "snapshot-count", "current-snapshot-id", "current-snapshot-summary",
		"current-snapshot-timestamp-ms", "current-schema", "default-partition-spec", "default-sort-order":
		return true
	}
	return false
}

// check finds what is wrong with a property that a client sets on a table of a
// format version.
func (p property) check(version int) error {
	if reserved(p.key) {
		return invalidf("Table property %s is reserved and cannot be set", p.key)
	}
	switch p.key {
	case "commit.retry.num-retries", "commit.retry.min-wait-ms", "commit.retry.max-wait-ms", "commit.retry.total-timeout-ms":
		if n, err := strconv.ParseInt(p.value, 10, 32); err != nil || n < 0 {
			return invalidf("Table property %s must have non negative integer value: %q", p.key, p.value)
		}
	case "encryption.key-id", "encryption.data-key-length":
		if version < 3 {
			return invalidf("Table property %s needs format version 3, the table has %d", p.key, version)
		}
	case propertyMetadataPath:
		if strings.TrimRight(p.value, "/") == "" {
			return invalidf("Table property %s must not be empty", p.key)
		}
	case propertyPreviousVersions:
		if _, err := strconv.ParseInt(p.value, 10, 32); err != nil {
			return invalidf("Table property %s must be an integer: %q", p.key, p.value)
		}
	case propertyCompression:
		return checkCodec(p.value)
	}
	return nil
}

func checkCodec(codec string) error {
	switch strings.ToLower(codec) {
	case "none", "gzip":
		return nil
	}
	return invalidf("Property %s must be none or gzip: %q", propertyCompression, codec)
}

// compresses tells whether the properties ask for gzipped metadata files.
func (s *state) compresses() bool {
	codec, _ := s.property(propertyCompression)
	return strings.EqualFold(codec, "gzip")
}

// previousVersionsMax is how many metadata log entries the properties allow, at
// least 1. A value in a file that is no number counts as not set (case 127).
func (s *state) previousVersionsMax() int {
	text, ok := s.property(propertyPreviousVersions)
	if !ok {
		return previousVersionsDefault
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return previousVersionsDefault
	}
	return max(1, int(n))
}
