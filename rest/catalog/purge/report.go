package purge

import (
	"fmt"

	"puddle/journal"
)

// Counts is what became of files. Removed are those that this process deleted, of
// Bytes together, and not those that were gone already. Each is counted once,
// unless there are more than a million of one kind.
type Counts struct {
	Removed int64
	Kept    int64 // left to whom they belong
	Failed  int64 // given up
	Bytes   int64
}

func (c *Counts) add(other Counts) {
	c.Removed += other.Removed
	c.Kept += other.Kept
	c.Failed += other.Failed
	c.Bytes += other.Bytes
}

// Report is what became of the files of one purge.
type Report struct {
	Counts
	Findings []journal.PurgeFinding // what was kept or failed, and why; at most journal.MaxPurgeReport
}

func (r *Report) tell(location, reason string) {
	if len(r.Findings) < journal.MaxPurgeReport {
		r.Findings = append(r.Findings, journal.NewPurgeFinding(location, reason))
	}
}

func (r *Report) keep(location, reason string) {
	r.Kept++
	r.tell(location, reason)
}

func (r *Report) fail(location string, err error) {
	r.Failed++
	r.tell(location, err.Error())
}

func (r *Report) add(other Report) {
	r.Counts.add(other.Counts)
	room := min(len(other.Findings), journal.MaxPurgeReport-len(r.Findings))
	r.Findings = append(r.Findings, other.Findings[:room]...)
}

// part is one pass over the files of one kind. What it found is kept when the kind
// is done, and found anew when it is not.
type part struct {
	kept     Report
	failures Report
	stuck    unreadable      // manifests and lists that will never be readable
	unread   unreadable      // those that failures are of
	suspects map[string]bool // URLs of the roots that failures are in
	err      error           // the first failure
	absent   int64           // manifests and lists that were gone before they were read
	missed   string          // the first of them
}

func newPart() *part {
	return &part{stuck: unreadable{}, unread: unreadable{}, suspects: map[string]bool{}}
}

// keepStuck notes a manifest or list that will never be readable.
func (p *part) keepStuck(location, reason string) {
	if p.stuck.add(location) {
		p.kept.keep(location, reason+": what was not read of it stays, and so does it")
	}
}

// fail notes a file that could not be read or deleted now.
func (p *part) fail(t target, err error) {
	p.failures.fail(t.location, err)
	p.suspects[t.root.URL] = true
	if p.err == nil {
		p.err = fmt.Errorf("%s: %w", t.location, err)
	}
}

func (p *part) miss(location string) {
	if p.absent++; p.absent == 1 {
		p.missed = location
	}
}

// gone words that manifests or lists were not there.
func gone(n int64) string {
	return fmt.Sprintf("%d manifests and manifest lists were gone, this one first: an interrupted purge has removed them, "+
		"or they were lost and what they alone named stays", n)
}
