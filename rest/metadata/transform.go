package metadata

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const transformVoid = "void"

var widthPattern = regexp.MustCompile(`^(?i:(bucket|truncate))\[(\d+)\]$`)

// readTransform returns a transform's canonical spelling. Names that no spec
// version knows are kept as they are: a later version may (table spec, partition
// transforms).
func readTransform(text string) (string, error) {
	lower := strings.ToLower(text)
	switch lower {
	case "identity", "year", "month", "day", "hour", transformVoid:
		return lower, nil
	}
	if m := widthPattern.FindStringSubmatch(text); m != nil {
		width, err := strconv.ParseInt(m[2], 10, 32)
		if err != nil || width == 0 {
			return "", fmt.Errorf("invalid width of transform %s", text)
		}
		return fmt.Sprintf("%s[%d]", strings.ToLower(m[1]), width), nil
	}
	return text, nil
}

// canTransform tells whether a transform takes values of a type, as the Java
// library's Transform.canTransform.
func canTransform(transform string, source dataType) bool {
	kind, _, _ := strings.Cut(transform, "[")
	switch kind {
	case "identity":
		return source.primitive() && source.base() != "geometry" && source.base() != "geography"
	case "bucket":
		return oneOf(source, "int", "long", "date", "time", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns",
			"string", "binary", "fixed", "decimal", "uuid")
	case "truncate":
		return oneOf(source, "int", "long", "string", "binary", "decimal")
	case "year", "month", "day":
		return oneOf(source, "date", "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
	case "hour":
		return oneOf(source, "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns")
	}
	return true
}

func oneOf(t dataType, bases ...string) bool {
	for _, base := range bases {
		if t.base() == base {
			return true
		}
	}
	return false
}

// checkSource checks that a column can be the source of a partition or sort
// field, which use names in errors.
func checkSource(use, name, transform string, source int, s schema) error {
	path := s.find(source)
	if path == nil {
		return invalidf("Cannot find source column for %s field: %s: %s(%d)", use, name, transform, source)
	}
	of := path[len(path)-1].of
	if !of.primitive() {
		return invalidf("Cannot use non-primitive source column for %s field: %s: %s", use, name, of.name)
	}
	if !canTransform(transform, of) {
		return invalidf("Invalid source type %s for transform: %s", of.name, transform)
	}
	for _, parent := range path[:len(path)-1] {
		if use == "partition" && parent.of.name != typeStruct {
			return invalidf("Invalid partition field parent: %s", parent.of.name)
		}
	}
	return nil
}
