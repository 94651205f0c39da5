package metadata

import (
	"strconv"
	"time"
)

// MetadataLogEntry names an earlier metadata file of a table.
type MetadataLogEntry struct {
	Location string
	// LastUpdated is the last-updated-ms of that file.
	LastUpdated time.Time
}

// historyEntry says when a snapshot became the current one.
type historyEntry struct{ at, snapshot int64 }

// previousFile is an entry of the metadata log.
type previousFile struct {
	at       int64
	location string
}

var (
	historyWords  = vocabulary{what: "snapshot log entry", required: []string{"timestamp-ms", "snapshot-id"}}
	previousWords = vocabulary{what: "metadata log entry", required: []string{"timestamp-ms", "metadata-file"}}
)

func readHistoryEntry(r *reader) (historyEntry, error) {
	var entry historyEntry
	err := r.object(historyWords, func(name string) error {
		if name == "timestamp-ms" {
			return r.long(&entry.at)
		}
		return r.long(&entry.snapshot)
	})
	return entry, err
}

func readPreviousFile(r *reader) (previousFile, error) {
	var entry previousFile
	err := r.object(previousWords, func(name string) error {
		if name == "timestamp-ms" {
			return r.long(&entry.at)
		}
		return r.text(&entry.location)
	})
	return entry, err
}

func (entry historyEntry) text() rope {
	text := append(make([]byte, 0, 72), `{"timestamp-ms":`...)
	text = append(strconv.AppendInt(text, entry.at, 10), `,"snapshot-id":`...)
	return rope{append(strconv.AppendInt(text, entry.snapshot, 10), '}')}
}

func (entry previousFile) text() rope {
	text := append(make([]byte, 0, 64+len(entry.location)), `{"timestamp-ms":`...)
	text = append(strconv.AppendInt(text, entry.at, 10), `,"metadata-file":`...)
	return rope{append(appendQuoted(text, entry.location), '}')}
}

// clockTolerance is by how many milliseconds times in logs may run backwards
// before the Java library refuses to load the file.
const clockTolerance = 60_000

// notBefore returns at, or last when at lies before it by more than the
// tolerance: a clock that runs behind never makes a table unreadable.
func notBefore(at, last int64) int64 {
	if at < last-clockTolerance {
		return last
	}
	return at
}

// lastTimes returns the times of the newest entries of both logs, 0 for none.
func (s *state) lastTimes() (history, previous int64) {
	if n := len(s.snapshotLog.items); n > 0 {
		history = s.snapshotLog.items[n-1].of.at
	}
	if n := len(s.metadataLog.items); n > 0 {
		previous = s.metadataLog.items[n-1].of.at
	}
	return history, previous
}

// logPrevious puts the base file in the metadata log and keeps as many entries
// as the new properties say, counting the new one.
func (b *builder) logPrevious() {
	entry := previousFile{b.base.state.lastUpdated, b.base.metadataLocation}
	b.metadataLog.append(entry, entry.text())
	b.metadataLog.dropFirst(len(b.metadataLog.items) - b.previousVersionsMax())
}

// logCurrent notes that a snapshot became the current one.
func (b *builder) logCurrent(snapshot int64) {
	at, ok := b.added[snapshot]
	if ok {
		b.becameMain = append(b.becameMain, snapshot)
	} else {
		at = b.at
	}
	last, _ := b.lastTimes()
	entry := historyEntry{notBefore(at, last), snapshot}
	b.snapshotLog.append(entry, entry.text())
}

// cleanHistory drops what the snapshot log may no longer say: snapshots that were
// current only within this request, and everything before a removed snapshot, as
// a gap would make another snapshot seem current at that time.
func (b *builder) cleanHistory() {
	if b.removedSnapshots {
		b.snapshotLog.dropFirst(b.goneFromHistory())
	}
	passing := make(map[int64]bool, 1)
	for _, id := range b.becameMain {
		if id != b.current {
			passing[id] = true
		}
	}
	if len(passing) > 0 {
		b.snapshotLog.remove(func(entry historyEntry) bool { return passing[entry.snapshot] })
	}
}

// goneFromHistory counts the entries up to the last one whose snapshot is gone. Most
// tables have snapshots and entries in the same order, so that each is met at once.
func (b *builder) goneFromHistory() int {
	j := len(b.snapshots.items)
	for i := len(b.snapshotLog.items); i > 0; i-- {
		id := b.snapshotLog.items[i-1].of.snapshot
		if j > 0 && b.snapshots.items[j-1].of.id == id {
			j--
		} else if !b.hasSnapshot(id) {
			return i
		}
	}
	return 0
}

func millis(t int64) time.Time { return time.UnixMilli(t).UTC() }

func number(n int64) rope { return rope{strconv.AppendInt(nil, n, 10)} }
