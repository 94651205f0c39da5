package metadata

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// viewVersion is what is read of one version of a view.
type viewVersion struct {
	id, schema int
	at         int64
	queries    int      // how many representations it has
	dialects   []string // of the SQL ones, in lower case
	meaning    string   // all but ids and time, to compare
}

// viewHistoryEntry says when a version became the current one.
type viewHistoryEntry struct {
	at      int64
	version int
}

var (
	viewVersionWords = vocabulary{what: "view version",
		required: []string{"version-id", "timestamp-ms", "schema-id", "summary", "representations", "default-namespace"},
		optional: []string{"default-catalog"}}
	representationWords    = vocabulary{what: "view representation", required: []string{"type"}}
	sqlRepresentationWords = vocabulary{what: "SQL view representation", required: []string{"type", "sql", "dialect"}}
	viewHistoryWords       = vocabulary{what: "version log entry", required: []string{"timestamp-ms", "version-id"}}
)

func readViewVersion(r *reader) (viewVersion, error) {
	var v viewVersion
	noCatalog := false
	raw, err := r.value()
	if err != nil {
		return v, syntax(viewVersionWords.what, err)
	}
	r = newReader(raw)
	err = r.object(viewVersionWords, func(name string) (err error) {
		switch name {
		case "version-id":
			return r.int(&v.id)
		case "timestamp-ms":
			return r.long(&v.at)
		case "schema-id":
			return r.int(&v.schema)
		case "summary":
			return r.texts(func([]byte) {})
		case "representations":
			return r.array(func() error { return r.representation(&v) })
		case "default-namespace":
			return r.array(r.level)
		default:
			if noCatalog, err = r.null(); noCatalog || err != nil {
				return err
			}
			return r.text(new(string))
		}
	})
	if err != nil {
		return v, err
	}
	v.meaning, err = meaningOf(raw, noCatalog)
	return v, err
}

// meaningOf is what must be equal for two versions with one schema to be the
// same (ViewMetadata.Builder.sameViewVersion): all but ids and time, unknown
// members included. No catalog is the same as null.
func meaningOf(raw jsontext.Value, noCatalog bool) (string, error) {
	without := []edit{{name: "version-id"}, {name: "timestamp-ms"}, {name: "schema-id"}}
	if noCatalog {
		without = append(without, edit{name: "default-catalog"})
	}
	rest, err := edited(raw, without...)
	if err != nil {
		return "", err
	}
	return canonical(rest)
}

// representation reads one representation. Those of other types than SQL may
// hold anything.
func (r *reader) representation(v *viewVersion) error {
	raw, err := r.value()
	if err != nil {
		return err
	}
	v.queries++
	var kind, dialect string
	r = newReader(raw)
	if err := r.object(representationWords, func(string) error { return r.text(&kind) }); err != nil {
		return err
	}
	if strings.ToLower(kind) != "sql" {
		return nil
	}
	r = newReader(raw)
	err = r.object(sqlRepresentationWords, func(name string) error {
		if name == "dialect" {
			return r.text(&dialect)
		}
		return r.text(new(string))
	})
	v.dialects = append(v.dialects, strings.ToLower(dialect))
	return err
}

// level reads one level of a namespace.
func (r *reader) level() error {
	var level string
	if err := r.text(&level); err != nil {
		return err
	}
	if strings.ContainsRune(level, 0) {
		return errors.New("must not hold a null character: " + excerpt(quote(level)))
	}
	return nil
}

func readViewHistoryEntry(r *reader) (viewHistoryEntry, error) {
	var entry viewHistoryEntry
	err := r.object(viewHistoryWords, func(name string) error {
		if name == "timestamp-ms" {
			return r.long(&entry.at)
		}
		return r.int(&entry.version)
	})
	return entry, err
}

func (entry viewHistoryEntry) text() rope {
	return rope{fmt.Appendf(nil, `{"timestamp-ms":%d,"version-id":%d}`, entry.at, entry.version)}
}

// DuplicateDialect says that a version to be added has two queries in one SQL
// dialect. It is also an *Invalid; clients of the REST protocol expect it to be
// told apart, as an IllegalArgumentException.
type DuplicateDialect struct {
	Dialect string // in lower case
}

func (e *DuplicateDialect) Error() string {
	return "Invalid view version: Cannot add multiple queries for dialect " + e.Dialect
}

// Unwrap returns the same as an *Invalid.
func (e *DuplicateDialect) Unwrap() error { return &Invalid{e.Error()} }

// checkNew finds what a version that a client adds may not be.
func (v viewVersion) checkNew() error {
	if v.queries == 0 {
		return invalidf("Invalid view version: no representations")
	}
	dialects := slices.Sorted(slices.Values(v.dialects))
	for i := 1; i < len(dialects); i++ {
		if dialects[i] == dialects[i-1] {
			return &DuplicateDialect{dialects[i]}
		}
	}
	return nil
}
