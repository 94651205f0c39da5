package metadata

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// readDefault checks a default value against the field's type (table spec,
// JSON single-value serialization) and returns it in compact JSON; "" for none.
func readDefault(f field, member string, v jsontext.Value) (string, error) {
	if v == nil || v.Kind() == 'n' {
		return "", nil
	}
	if !validDefault(f.of, v) {
		return "", invalidf("invalid field: %s of %s is no value of type %s: %s", member, f.name, f.of.name, excerpt(v))
	}
	return canonical(v)
}

// canonical returns a value in compact JSON with sorted names and numbers as
// they are written.
func canonical(v jsontext.Value) (string, error) {
	text := v.Clone()
	err := text.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return string(text), err
}

func validDefault(t dataType, v jsontext.Value) bool {
	switch t.base() {
	case "boolean":
		return v.Kind() == 't' || v.Kind() == 'f'
	case "int":
		_, err := strconv.ParseInt(string(v), 10, 32)
		return err == nil
	case "long":
		_, err := strconv.ParseInt(string(v), 10, 64)
		return err == nil
	case "float", "double":
		return v.Kind() == '0'
	case typeStruct, typeMap:
		return v.Kind() == '{'
	case typeList:
		return v.Kind() == '['
	case "variant", "unknown", "geometry", "geography":
		return false // these default to null only
	}
	var text string
	r := newReader(v)
	return r.text(&text) == nil && validText(t, text)
}

var (
	timePattern      = regexp.MustCompile(`^\d\d:\d\d(:\d\d(\.\d{1,9})?)?$`)
	timestampPattern = regexp.MustCompile(`^-?\d{4,}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(\+00:00|Z)?$`)
	decimalValue     = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
)

// validText checks the default of a type whose values are written as strings.
func validText(t dataType, text string) bool {
	var err error
	switch t.base() {
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "uuid":
		_, err = parseUUID(text)
	case "binary", "fixed":
		_, err = hex.DecodeString(text)
		if err == nil && t.base() == "fixed" {
			return t.name == "fixed["+strconv.Itoa(len(text)/2)+"]"
		}
	case "time":
		return timePattern.MatchString(text)
	case "timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns":
		return timestampPattern.MatchString(text)
	case "decimal":
		return decimalValue.MatchString(text)
	}
	return err == nil
}

// parseUUID reads a UUID in its usual form of 36 characters, in either case.
func parseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 || id == uuid.Nil {
		return uuid.Nil, invalidf("invalid UUID: %q", text)
	}
	return id, nil
}
