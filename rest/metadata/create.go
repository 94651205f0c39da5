package metadata

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// NewTable is what a create request says. PartitionSpec and WriteOrder are nil
// when absent.
type NewTable struct {
	UUID                              uuid.UUID
	Location                          string
	Schema, PartitionSpec, WriteOrder jsontext.Value
	Properties                        map[string]string
}

// Create makes the first version of a table, at 00000-<fresh> in its metadata
// folder. Field ids are assigned anew from 1 and partition field ids from 1000,
// as by the Java library; identifier, source and sort fields follow. The
// property format-version chooses the version and is not stored; other reserved
// properties are refused (case 20). Create is a pure function. Errors: *Invalid.
func Create(t NewTable, at time.Time, fresh uuid.UUID) (*Document, error) {
	if t.UUID == uuid.Nil {
		return nil, invalidf("Cannot create a table without a UUID")
	}
	b := newBuilder(nil, t.UUID, at)
	properties, err := b.newProperties(t.Properties)
	if err != nil {
		return nil, err
	}
	updates, err := t.updates()
	if err != nil {
		return nil, err
	}
	if err := b.apply(append(updates, properties)); err != nil {
		return nil, err
	}
	if err := b.checkColumnMetrics(); err != nil {
		return nil, err
	}
	return b.build(fresh)
}

// newProperties takes the format version out of the properties and adds what the
// Java library sets on new tables.
func (b *builder) newProperties(given map[string]string) (setProperties, error) {
	var u setProperties
	if value, ok := given[propertyFormatVersion]; ok {
		version, err := parseVersion(value)
		if err != nil {
			return u, err
		}
		b.formatVersion = version
	}
	if err := checkVersion(b.formatVersion); err != nil {
		return u, err
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		value := given[key]
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return u, invalidf("Table property %q is not valid UTF-8", key)
		}
		if key != propertyFormatVersion {
			u.updates = append(u.updates, property{key, value})
		}
	}
	if _, ok := given[propertyParquetCodec]; !ok {
		u.updates = append(u.updates, property{propertyParquetCodec, "zstd"})
	}
	return u, nil
}

// updates says the same as the updates of a commit that creates the table.
func (t NewTable) updates() ([]Update, error) {
	if t.Location == "" || !utf8.ValidString(t.Location) {
		return nil, invalidf("Cannot create a table: invalid location: %q", t.Location)
	}
	raw, ids, err := t.schema()
	if err != nil {
		return nil, err
	}
	raw, schema, err := readNewSchema(raw)
	if err != nil {
		return nil, err
	}
	spec, err := t.spec(ids)
	if err != nil {
		return nil, err
	}
	order, err := t.order(ids)
	if err != nil {
		return nil, err
	}
	return []Update{
		setLocation{strings.TrimRight(t.Location, "/")},
		addSchema{raw, schema}, setCurrentSchema{lastAdded},
		spec, setDefaultSpec{lastAdded},
		order, setDefaultSortOrder{lastAdded},
	}, nil
}

// checkColumnMetrics checks that metrics are asked for existing columns.
func (b *builder) checkColumnMetrics() error {
	schema, _ := b.schema(b.currentSchema)
	for _, it := range b.properties.items {
		column, ok := strings.CutPrefix(it.of.key, propertyColumnMetrics)
		if !ok {
			continue
		}
		if _, ok := schema.named(column); !ok {
			return invalidf("Invalid metrics config, could not find column %s from table prop %s in schema", column, it.of.key)
		}
	}
	return nil
}
