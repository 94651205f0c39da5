package journal

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Limits of what a purge reports. A report within them fits into a record,
// whatever its characters.
const (
	MaxPurgeReport          = 1000 // findings
	MaxFindingLocationBytes = 2048
	MaxFindingReasonBytes   = 512
)

// TablePurged closes the purge that a drop asked for. Removed counts the files
// that the purge deleted, of Bytes together; Kept those that it reached and left
// to whom they belong, Failed those that could not be deleted. It moves nothing.
type TablePurged struct {
	Bytes   int64          `json:"bytes"`
	Drop    uuid.UUID      `json:"drop"` // the event's id
	Failed  int64          `json:"failed"`
	Kept    int64          `json:"kept"`
	Removed int64          `json:"removed"`
	Report  []PurgeFinding `json:"report"` // the first MaxPurgeReport of what is to be told
	Table   uuid.UUID      `json:"table"`
}

// PurgeFinding is a file that a purge kept or failed to delete, and why. Make one
// with NewPurgeFinding.
type PurgeFinding struct {
	Location string `json:"location"`
	Reason   string `json:"reason"`
}

// NewPurgeFinding makes a finding of any strings: valid UTF-8, each cut at its
// limit between characters.
func NewPurgeFinding(location, reason string) PurgeFinding {
	return PurgeFinding{Location: cut(location, MaxFindingLocationBytes), Reason: cut(reason, MaxFindingReasonBytes)}
}

// Kind is KindTablePurged.
func (TablePurged) Kind() Kind { return KindTablePurged }

func (TablePurged) moves() []Move { return nil }

func (b TablePurged) check() error {
	switch {
	case b.Drop == uuid.Nil || b.Table == uuid.Nil:
		return errors.New("a purge needs the table and the event that dropped it")
	case b.Removed < 0 || b.Kept < 0 || b.Failed < 0 || b.Bytes < 0:
		return errors.New("a purge counts below zero")
	case len(b.Report) > MaxPurgeReport:
		return fmt.Errorf("a purge reports %d findings, the limit is %d", len(b.Report), MaxPurgeReport)
	}
	for _, f := range b.Report {
		if len(f.Location) > MaxFindingLocationBytes || len(f.Reason) > MaxFindingReasonBytes {
			return fmt.Errorf("a purge reports a location of %d bytes and a reason of %d, the limits are %d and %d",
				len(f.Location), len(f.Reason), MaxFindingLocationBytes, MaxFindingReasonBytes)
		}
	}
	return nil
}
