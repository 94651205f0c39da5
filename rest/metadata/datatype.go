package metadata

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	typeStruct = "struct"
	typeList   = "list"
	typeMap    = "map"

	// typeDepth is how deep types may nest.
	typeDepth = 100
)

// dataType is a column's type.
type dataType struct {
	name   string  // in canonical spelling: long, decimal(9, 2), struct, list, map
	fields []field // of a struct; the element of a list; key and value of a map
}

func (t dataType) primitive() bool {
	switch t.name {
	case typeStruct, typeList, typeMap, "variant":
		return false
	}
	return true
}

// base is the name without its parameters.
func (t dataType) base() string {
	if i := strings.IndexAny(t.name, "(["); i >= 0 {
		return t.name[:i]
	}
	return t.name
}

// since is the first format version with the type.
func (t dataType) since() int {
	switch t.base() {
	case "timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry", "geography":
		return 3
	}
	return 1
}

var typeWords = vocabulary{what: "type", required: []string{"type"}, optional: []string{"fields",
	"element-id", "element", "element-required", "key-id", "key", "value-id", "value", "value-required"}}

// dataType reads a type: a string for a primitive one, an object for others.
func (r *reader) dataType(into *dataType, depth int) error {
	if depth > typeDepth {
		return fmt.Errorf("types nest deeper than %d", typeDepth)
	}
	if r.kind() == '{' {
		return r.nestedType(into, depth)
	}
	var name string
	if err := r.text(&name); err != nil {
		return err
	}
	canonical, err := primitiveName(name)
	into.name = canonical
	return err
}

func (r *reader) nestedType(into *dataType, depth int) error {
	element := field{id: -1, name: "element"}
	key := field{id: -1, name: "key", required: true}
	value := field{id: -1, name: "value"}
	var fields []field
	seen := map[string]bool{}
	err := r.object(typeWords, func(name string) error {
		seen[name] = true
		switch name {
		case "type":
			return r.text(&into.name)
		case "fields":
			return r.fields(&fields, depth)
		case "element-id":
			return r.int(&element.id)
		case "element":
			return r.dataType(&element.of, depth+1)
		case "element-required":
			return r.bool(&element.required)
		case "key-id":
			return r.int(&key.id)
		case "key":
			return r.dataType(&key.of, depth+1)
		case "value-id":
			return r.int(&value.id)
		case "value":
			return r.dataType(&value.of, depth+1)
		default:
			return r.bool(&value.required)
		}
	})
	if err != nil {
		return err
	}
	switch into.name {
	case typeStruct:
		into.fields = fields
		return need(seen, "fields")
	case typeList:
		into.fields = []field{element}
		return need(seen, "element-id", "element", "element-required")
	case typeMap:
		into.fields = []field{key, value}
		return need(seen, "key-id", "key", "value-id", "value", "value-required")
	}
	return errors.New("unknown nested type " + into.name)
}

func need(seen map[string]bool, names ...string) error {
	for _, name := range names {
		if !seen[name] {
			return invalidf("invalid type: missing %s", name)
		}
	}
	return nil
}

var (
	decimalType   = regexp.MustCompile(`^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$`)
	fixedType     = regexp.MustCompile(`^fixed\[\s*(\d+)\s*\]$`)
	geometryType  = regexp.MustCompile(`(?i)^geometry\s*(?:\(\s*([^)]*?)\s*\))?$`)
	geographyType = regexp.MustCompile(`(?i)^geography\s*(?:\(\s*([^,]*?)\s*(?:,\s*(\w*)\s*)?\))?$`)
)

// primitiveName returns the canonical spelling of a primitive type's name.
func primitiveName(name string) (string, error) {
	lower := strings.ToLower(name)
	switch lower {
	case "boolean", "int", "long", "float", "double", "date", "time", "timestamp", "timestamptz", "string", "uuid",
		"binary", "timestamp_ns", "timestamptz_ns", "variant", "unknown":
		return lower, nil
	}
	if m := decimalType.FindStringSubmatch(lower); m != nil {
		precision, err := strconv.Atoi(m[1])
		scale, err2 := strconv.Atoi(m[2])
		if err != nil || err2 != nil || precision > 38 {
			return "", errors.New("decimals with precision larger than 38 are not supported: " + name)
		}
		return fmt.Sprintf("decimal(%d, %d)", precision, scale), nil
	}
	if m := fixedType.FindStringSubmatch(lower); m != nil {
		length, err := strconv.ParseInt(m[1], 10, 32)
		if err != nil {
			return "", errors.New("fixed type is too long: " + name)
		}
		return fmt.Sprintf("fixed[%d]", length), nil
	}
	return geospatialName(name)
}

// geospatialName returns the canonical spelling with all parameters: the
// coordinate reference system, whose case is kept but does not count, and how
// edges are interpolated.
func geospatialName(name string) (string, error) {
	const defaultSystem = "OGC:CRS84"
	system, edges, bare := defaultSystem, "spherical", !strings.Contains(name, "(")
	geometry := geometryType.FindStringSubmatch(name)
	geography := geographyType.FindStringSubmatch(name)
	switch {
	case geometry != nil && !bare:
		system = geometry[1]
	case geography != nil && !bare:
		system = geography[1]
		if strings.Contains(name, ",") {
			edges = strings.ToLower(geography[2])
		}
	case geometry == nil && geography == nil:
		return "", errors.New("unknown type " + strconv.Quote(name))
	}
	if system == "" {
		return "", errors.New("empty coordinate reference system: " + name)
	}
	if geometry != nil {
		return fmt.Sprintf("geometry(%s)", system), nil
	}
	switch edges {
	case "spherical", "vincenty", "thomas", "andoyer", "karney":
		return fmt.Sprintf("geography(%s, %s)", system, edges), nil
	}
	return "", errors.New("unknown interpolation of edges: " + name)
}
