package metadata

import (
	"bytes"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
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
	case "float", "double": // as the Java library has it, 1 is none
		return v.Kind() == '0' && bytes.ContainsAny(v, ".eE")
	case typeStruct: // fields have defaults of their own
		text, err := canonical(v)
		return err == nil && text == "{}"
	case typeMap:
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
	clockPattern   = regexp.MustCompile(`^\d\d:\d\d(:\d\d(\.\d{1,9})?)?$`)
	decimalPattern = regexp.MustCompile(`^-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$`)
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
		return validClock(text)
	case "timestamp":
		_, err = parseTimestamp(text)
	case "timestamptz":
		_, err = parseTimestamp(withoutZone(text))
	case "timestamp_ns":
		return validNanoseconds(text)
	case "timestamptz_ns":
		return validNanoseconds(withoutZone(text))
	case "decimal":
		return validDecimal(t, text)
	}
	return err == nil
}

// validClock checks a time of day; seconds may be left out.
func validClock(text string) bool {
	layout := "15:04:05"
	if len(text) == len("15:04") {
		layout = "15:04"
	}
	_, err := time.Parse(layout, text)
	return err == nil && clockPattern.MatchString(text)
}

// withoutZone cuts off the zone, which must be UTC, or returns what is no
// timestamp.
func withoutZone(text string) string {
	for _, zone := range []string{"Z", "+00:00"} {
		if local, ok := strings.CutSuffix(text, zone); ok {
			return local
		}
	}
	return ""
}

func parseTimestamp(text string) (time.Time, error) {
	date, clock, _ := strings.Cut(text, "T")
	if !validClock(clock) {
		return time.Time{}, errors.New("no time of day: " + clock)
	}
	return time.Parse(time.DateOnly, date)
}

// validNanoseconds checks that a timestamp's nanoseconds since 1970 fit in 64
// bits; the outermost years, which do so in part, are left out.
func validNanoseconds(text string) bool {
	day, err := parseTimestamp(text)
	return err == nil && day.Year() > 1677 && day.Year() < 2262
}

// validDecimal checks that a number has exactly the scale of its type.
func validDecimal(t dataType, text string) bool {
	m := decimalPattern.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	exponent, _ := strconv.Atoi(m[2]) // 0 when there is none
	_, scale, _ := strings.Cut(t.name, ", ")
	return strings.TrimSuffix(scale, ")") == strconv.Itoa(len(m[1])-exponent)
}

// uuid reads a UUID.
func (r *reader) uuid(into *uuid.UUID) error {
	var text string
	err := r.text(&text)
	if err == nil {
		*into, err = parseUUID(text)
	}
	return err
}

// parseUUID reads a UUID in its usual form of 36 characters, in either case.
func parseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 || id == uuid.Nil {
		return uuid.Nil, invalidf("invalid UUID: %q", text)
	}
	return id, nil
}
