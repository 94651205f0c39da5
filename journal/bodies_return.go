package journal

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReasonBytes is how long the reason of a repoint may be.
const MaxReasonBytes = 1024

// TableUndropped brings a dropped table back, with its uuid, at the metadata file
// that it had last; it continues the history. It cancels a purge of the table.
type TableUndropped struct {
	Moves [1]Move `json:"moves"`
}

// ViewUndropped brings a dropped view back.
type ViewUndropped struct {
	Moves [1]Move `json:"moves"`
}

// TableRepointed moves a live table to a metadata file that is there already, by
// an operator's decision.
type TableRepointed struct {
	Moves  [1]Move `json:"moves"`
	Reason string  `json:"reason"`
}

// ViewRepointed moves a live view to a metadata file that is there already, by
// an operator's decision.
type ViewRepointed struct {
	Moves  [1]Move `json:"moves"`
	Reason string  `json:"reason"`
}

// Kind is KindTableUndropped.
func (TableUndropped) Kind() Kind { return KindTableUndropped }

// Kind is KindViewUndropped.
func (ViewUndropped) Kind() Kind { return KindViewUndropped }

// Kind is KindTableRepointed.
func (TableRepointed) Kind() Kind { return KindTableRepointed }

// Kind is KindViewRepointed.
func (ViewRepointed) Kind() Kind { return KindViewRepointed }

func (b TableUndropped) moves() []Move { return b.Moves[:] }
func (b ViewUndropped) moves() []Move  { return b.Moves[:] }
func (b TableRepointed) moves() []Move { return b.Moves[:] }
func (b ViewRepointed) moves() []Move  { return b.Moves[:] }

func (b TableUndropped) check() error { return b.Moves[0].check(Table, birth) }
func (b ViewUndropped) check() error  { return b.Moves[0].check(View, birth) }
func (b TableRepointed) check() error { return checkRepoint(b.Moves[0], Table, b.Reason) }
func (b ViewRepointed) check() error  { return checkRepoint(b.Moves[0], View, b.Reason) }

func checkRepoint(m Move, kind ObjectKind, reason string) error {
	if err := m.check(kind, step); err != nil {
		return err
	}
	return CheckReason(reason)
}

// CheckReason refuses a reason that no event may have: none, one over
// MaxReasonBytes, and one with control characters or invalid UTF-8.
func CheckReason(reason string) error {
	switch {
	case reason == "":
		return errors.New("a reason is needed")
	case len(reason) > MaxReasonBytes:
		return fmt.Errorf("the reason is %d bytes long, the limit is %d", len(reason), MaxReasonBytes)
	case !utf8.ValidString(reason):
		return fmt.Errorf("the reason %q is not valid UTF-8", reason)
	case strings.ContainsFunc(reason, unicode.IsControl):
		return fmt.Errorf("the reason %q holds a control character", reason)
	}
	return nil
}
