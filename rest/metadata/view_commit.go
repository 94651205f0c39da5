package metadata

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// ViewRequirement is one decoded requirement of a commit to a view. It never
// changes.
type ViewRequirement interface {
	// Type is the requirement's name in the REST specification.
	Type() string

	// checkView returns a *RequirementFailed when the requirement does not hold.
	checkView(*viewState) error
}

var (
	viewTypeOnly        = vocabulary{what: "view requirement", required: []string{"type"}}
	assertViewUUIDWords = requirementWords("assert-view-uuid", "uuid")
)

// readViewRequirement decodes one requirement; those of tables are refused.
func readViewRequirement(raw jsontext.Value) (ViewRequirement, error) {
	var kind, text string
	r := newReader(raw)
	if err := r.object(viewTypeOnly, func(string) error { return r.text(&kind) }); err != nil {
		return nil, err
	}
	if kind = strings.ToLower(kind); kind != assertViewUUIDWords.what {
		return nil, invalidf("unknown view requirement: %q", kind)
	}
	r = newReader(raw)
	if err := r.requirement(assertViewUUIDWords, func(string) error { return r.text(&text) }); err != nil {
		return nil, err
	}
	id, err := parseUUID(text)
	return assertViewUUID{id}, err
}

type assertViewUUID struct{ id uuid.UUID }

func (assertViewUUID) Type() string { return assertViewUUIDWords.what }

// checkView compares whatever the letter case (case 32).
func (a assertViewUUID) checkView(s *viewState) error {
	if a.id != s.uuid {
		return failedf("view UUID does not match: expected %s != %s", s.uuid, a.id)
	}
	return nil
}

// DecodeViewCommit reads the body of a CommitViewRequest strictly, as
// DecodeCommit does for tables: requirements may be missing or null, unknown
// members are passed over, unknown updates and requirements, and more than
// MaxChanges, are refused. What it returns holds on to body, which must not be
// modified afterwards. Errors: *Invalid.
func DecodeViewCommit(body []byte) ([]ViewRequirement, []ViewUpdate, error) {
	return decodeCommit(body, readViewRequirement, readViewUpdate, plus)
}

// CommitView checks requirements against base, applies updates in order and
// returns the next metadata, to be written to its MetadataLocation: the version
// after that of base's file name, and fresh. It returns base itself when nothing
// changed. Views have no metadata log.
//
// CommitView is a pure function; neither base nor the updates change. Errors:
// *RequirementFailed, *Invalid (among them *DuplicateDialect).
func CommitView(base *View, reqs []ViewRequirement, updates []ViewUpdate, at time.Time, fresh uuid.UUID) (*View, error) {
	if base == nil {
		return nil, invalidf("Cannot commit to a view that does not exist")
	}
	for _, req := range reqs {
		if err := req.checkView(&base.state); err != nil {
			return nil, err
		}
	}
	b := newViewBuilder(base, base.state.uuid, at)
	if err := b.apply(updates); err != nil {
		return nil, err
	}
	if !b.changed() {
		return base, nil
	}
	return b.build(fresh)
}
