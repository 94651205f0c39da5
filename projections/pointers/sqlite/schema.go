package sqlite

import (
	_ "embed"
	"fmt"

	"puddle/projections/pointers"
)

// schemaVersion is stored as user_version.
//
//	1: warehouses, cursor, namespaces, objects, places and history.
//	2: purges too.
//	3: running too.
//	4: steps in the order in which they happened, packed.
const schemaVersion = 4

// applicationID marks the file as puddle's: "pudl".
const applicationID = 0x7075646c

//go:embed schema.sql
var schema string

// prepareSchema creates the tables in an empty file, in one transaction, and
// refuses a file that is not this build's.
func prepareSchema(s *session) error {
	version, err := versionOf(s)
	if err != nil || version != 0 {
		return err
	}
	return s.script(fmt.Sprintf("BEGIN IMMEDIATE; %s; PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		schema, applicationID, schemaVersion))
}

// versionOf is the version of a file that this build reads; 0 of an empty one.
func versionOf(s *session) (int64, error) {
	var application, version, tables int64
	for pragma, value := range map[string]*int64{
		"PRAGMA application_id":              &application,
		"PRAGMA user_version":                &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := s.row(pragma).scan(value); err != nil {
			return 0, err
		}
	}
	switch {
	case application == applicationID && version == schemaVersion:
		return version, nil
	case application == applicationID:
		return 0, fmt.Errorf("%w: the file has version %d, this build reads %d", pointers.ErrSchema, version, schemaVersion)
	case application != 0 || version != 0 || tables != 0:
		return 0, ErrForeign
	}
	return 0, nil
}
