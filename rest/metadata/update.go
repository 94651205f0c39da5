package metadata

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Update is one decoded update of a commit. It never changes: the same value may
// be applied again, to newer metadata.
type Update interface {
	// Action is the update's name in the REST specification.
	Action() string

	apply(*builder) error
}

var actionWords = vocabulary{what: "table update", required: []string{"action"}}

// readUpdate decodes one update. Actions are matched in any case, as by the Java
// library; an unknown one is refused (case 92).
func readUpdate(raw jsontext.Value) (Update, error) {
	var action string
	r := newReader(raw)
	if err := r.object(actionWords, func(string) error { return r.text(&action) }); err != nil {
		return nil, err
	}
	r = newReader(raw)
	switch action = strings.ToLower(action); action {
	case "assign-uuid":
		return r.assignUUID()
	case "upgrade-format-version":
		return r.upgradeFormatVersion()
	case "set-location":
		return r.setLocation()
	case "set-properties":
		return r.setProperties()
	case "remove-properties":
		return r.removeProperties()
	case "add-schema":
		return r.addSchema()
	case "set-current-schema":
		return r.setCurrentSchema()
	case "remove-schemas":
		return r.removeSchemas()
	case "add-spec":
		return r.addSpec()
	case "set-default-spec":
		return r.setDefaultSpec()
	case "remove-partition-specs":
		return r.removeSpecs()
	case "add-sort-order":
		return r.addSortOrder()
	case "set-default-sort-order":
		return r.setDefaultSortOrder()
	}
	return r.snapshotUpdate(action)
}

// snapshotUpdate decodes the updates of snapshots and what belongs to them.
func (r *reader) snapshotUpdate(action string) (Update, error) {
	switch action {
	case "add-snapshot":
		return r.addSnapshot()
	case "remove-snapshots":
		return r.removeSnapshots()
	case "set-snapshot-ref":
		return r.setSnapshotRef()
	case "remove-snapshot-ref":
		return r.removeSnapshotRef()
	case "set-statistics":
		return r.setStatistics()
	case "remove-statistics":
		return r.removal(action)
	case "set-partition-statistics":
		return r.setPartitionStatistics()
	case "remove-partition-statistics":
		return r.removal(action)
	case "add-encryption-key":
		return r.addEncryptionKey()
	case "remove-encryption-key":
		return r.removeEncryptionKey()
	}
	return nil, invalidf("unknown table update: %q", action)
}

// updateWords lists the members of one kind of update beside its action.
func updateWords(action string, required ...string) vocabulary {
	return vocabulary{what: action, required: required, optional: []string{"action"}}
}

// update reads an update's members; the action is passed over.
func (r *reader) update(words vocabulary, member func(name string) error) error {
	return r.object(words, func(name string) error {
		if name == "action" {
			return r.skip()
		}
		return member(name)
	})
}

// number reads an update with one 32-bit number.
func (r *reader) number(action, name string) (n int, err error) {
	err = r.update(updateWords(action, name), func(string) error { return r.int(&n) })
	return n, err
}

// snapshotID reads an update with a snapshot id.
func (r *reader) snapshotID(action string) (id int64, err error) {
	err = r.update(updateWords(action, "snapshot-id"), func(string) error { return r.long(&id) })
	return id, err
}

// numbers reads an update with a list of 32-bit numbers.
func (r *reader) numbers(action, name string) (list []int, err error) {
	err = r.update(updateWords(action, name), func(string) error { return r.ints(&list) })
	return list, err
}

// word reads an update with one string.
func (r *reader) word(action, name string) (text string, err error) {
	err = r.update(updateWords(action, name), func(string) error { return r.text(&text) })
	return text, err
}

// part reads an update with one nested value.
func (r *reader) part(words vocabulary, name string) (part jsontext.Value, err error) {
	err = r.update(words, func(member string) (err error) {
		if member != name {
			return r.skip()
		}
		part, err = r.value()
		return err
	})
	return part, err
}
