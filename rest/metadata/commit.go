package metadata

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// MaxChanges is how many requirements, and how many updates, one commit may
// have. Most are compared with all that the table has, so that their cost grows
// with the square of their number; removals that follow each other count as one.
const MaxChanges = 10_000

var commitWords = vocabulary{what: "commit", required: []string{"updates"}, optional: []string{"requirements", "identifier"}}

// DecodeCommit reads the body of a CommitTableRequest strictly. Requirements may
// be missing or null; the identifier is passed over, as the path says which
// table is meant; unknown members are passed over, but unknown updates and
// requirements are refused (case 92), and so is more than MaxChanges. A run of
// removals is returned as one for each action. What it returns holds on to body,
// which must not be modified afterwards. Errors: *Invalid.
func DecodeCommit(body []byte) ([]Requirement, []Update, error) {
	return decodeCommit(body, readRequirement, readUpdate, joined)
}

// decodeCommit reads the body of a commit to a table or view; add puts an update
// to those before it.
func decodeCommit[R, U any](
	body []byte, requirement func(jsontext.Value) (R, error), update func(jsontext.Value) (U, error), add func([]U, U) []U,
) (requirements []R, updates []U, err error) {
	if err := checkText(body, commitWords.what); err != nil {
		return nil, nil, err
	}
	r := newReader(body)
	err = r.object(commitWords, func(name string) (err error) {
		switch name {
		case "requirements":
			if null, err := r.null(); null || err != nil {
				return err
			}
			requirements, err = decodeAll(r, name, requirement, plus)
		case "updates":
			updates, err = decodeAll(r, name, update, add)
		default:
			err = r.skip()
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return requirements, updates, nil
}

// decodeAll decodes a list; add puts what was decoded to what there is.
func decodeAll[T any](r *reader, what string, decode func(jsontext.Value) (T, error), add func([]T, T) []T) ([]T, error) {
	var all []T
	err := r.array(func() error {
		raw, err := r.value()
		if err != nil {
			return err
		}
		one, err := decode(raw)
		if err != nil {
			return err
		}
		if all = add(all, one); len(all) > MaxChanges {
			return invalidf("Cannot commit more than %d %s at once", MaxChanges, what)
		}
		return nil
	})
	return all, err
}

func plus[T any](all []T, one T) []T { return append(all, one) }

// AssertsCreate tells whether a commit creates its table: it requires that the
// table does not exist. Such a commit may require nothing else: *Invalid.
func AssertsCreate(reqs []Requirement) (bool, error) {
	creates, others := 0, 0
	for _, req := range reqs {
		if _, ok := req.(assertCreate); ok {
			creates++
		} else {
			others++
		}
	}
	if creates > 0 && others > 0 {
		return false, invalidf("Invalid create requirements: assert-create cannot be mixed with other requirements")
	}
	return creates > 0, nil
}

// Commit checks requirements against base, applies updates in order and returns
// the next version, to be written to its MetadataLocation: the version after
// that of base's file name, and fresh. It returns base itself when nothing
// changed. A nil base means that the table does not exist: the requirements must
// assert its creation, and fresh is also its UUID unless an update assigns one.
//
// A base without a UUID must be given one first (Document.WithUUID).
//
// Commit is a pure function; neither base nor the updates change. Errors:
// *RequirementFailed, *Conflict, *Invalid.
func Commit(base *Document, reqs []Requirement, updates []Update, at time.Time, fresh uuid.UUID) (*Document, error) {
	creates, err := AssertsCreate(reqs)
	if err != nil {
		return nil, err
	}
	if base == nil && !creates {
		return nil, invalidf("Cannot commit to a table that does not exist without assert-create")
	}
	b := newBuilder(base, fresh, at)
	if base == nil {
		b.startVersion(updates)
	} else if err := base.Check(reqs, updates); err != nil {
		return nil, err
	}
	if err := b.apply(updates); err != nil {
		return nil, err
	}
	if base != nil && !b.changed {
		return base, nil
	}
	return b.build(fresh)
}

// Check tells whether the requirements of a commit of updates hold for this
// version: a *RequirementFailed, the one that Commit would refuse them with.
func (d *Document) Check(reqs []Requirement, updates []Update) error {
	for _, req := range reqs {
		if err := req.check(&d.state); err != nil {
			return d.refusal(err, updates)
		}
	}
	return nil
}

// refusal adds to a requirement that failed that a snapshot of the commit is
// there: most likely the commit has landed, and only its answer was lost (case
// 123).
func (d *Document) refusal(failed error, updates []Update) error {
	for _, u := range updates {
		if add, ok := u.(addSnapshot); ok {
			if _, there := d.state.snapshot(add.snapshot.id); there {
				return &RequirementFailed{fmt.Sprintf("%v (snapshot %d is present in the table)", failed, add.snapshot.id)}
			}
		}
	}
	return failed
}

// startVersion lets a new table's first upgrade choose its format version, so
// that it is no downgrade from the default.
func (b *builder) startVersion(updates []Update) {
	for _, u := range updates {
		if upgrade, ok := u.(upgradeFormatVersion); ok {
			b.formatVersion = upgrade.version
			return
		}
	}
}
