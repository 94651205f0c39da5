package metadata

import (
	"github.com/google/uuid"
)

type assignUUID struct{ id uuid.UUID }

func (assignUUID) Action() string { return "assign-uuid" }

func (r *reader) assignUUID() (Update, error) {
	text, err := r.word("assign-uuid", "uuid")
	if err != nil {
		return nil, err
	}
	id, err := parseUUID(text)
	return assignUUID{id}, err
}

// apply gives a table its UUID that is new or has none. That of any other table
// never changes: the specification calls it unsafe.
func (u assignUUID) apply(b *builder) error {
	if b.base != nil && b.base.HasUUID() && u.id != b.uuid {
		return invalidf("Cannot reassign uuid: the table has %s", b.uuid)
	}
	b.changed = b.changed || u.id != b.uuid
	b.uuid = u.id
	return nil
}

type upgradeFormatVersion struct{ version int }

func (upgradeFormatVersion) Action() string { return "upgrade-format-version" }

func (r *reader) upgradeFormatVersion() (Update, error) {
	version, err := r.number("upgrade-format-version", "format-version")
	return upgradeFormatVersion{version}, err
}

// apply never lowers the version. Older snapshots stay as they are: sequence
// numbers and row ids begin with 0. The first upgrade of a new table chooses its
// version and is none (startVersion).
func (u upgradeFormatVersion) apply(b *builder) error {
	if u.version < b.formatVersion {
		return invalidf("Cannot downgrade v%d table to v%d", b.formatVersion, u.version)
	}
	if err := checkVersion(u.version); err != nil || u.version == b.formatVersion {
		return err
	}
	if b.formatVersion < 2 {
		b.owe("last-sequence-number")
	}
	if u.version >= 3 {
		b.owe("next-row-id", "current-snapshot-id")
	}
	b.formatVersion = u.version
	b.changed = true
	return nil
}

type setLocation struct{ location string }

func (setLocation) Action() string { return "set-location" }

func (r *reader) setLocation() (Update, error) {
	location, err := r.word("set-location", "location")
	if err == nil && location == "" {
		err = invalidf("invalid set-location: location must not be empty")
	}
	return setLocation{location}, err
}

func (u setLocation) apply(b *builder) error {
	b.changed = b.changed || u.location != b.location
	b.location = u.location
	return nil
}
