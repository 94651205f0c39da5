package sidecars

import (
	"context"
	"slices"

	"puddle/journal"
)

const (
	maxAncestors = 100     // files that are read to find where two lines part
	maxLine      = 100_000 // files of a line: logs may say anything
)

// line is what is known of the files that one was made from, itself last.
type line []string

// abandon is the list of abandoned files after an event that moved the pointer of
// a table from a file to one that may not descend from it: to the list before it
// adds the first file of the line that was left, and what the table is at now, or
// came from, it takes out of it. Where files are lost before lines meet, the earliest
// file that is known of the one that was left stands for it; where the store or the
// journal does not say, the error comes back.
func (w *work) abandon(ctx context.Context, e journal.Event, i int, before string, list []string) ([]string, error) {
	m := e.Moves()[i]
	f := &files{work: w, table: m.UUID, before: e.Seq}
	now, err := f.kept(ctx, made{e.Seq, i}, m.To.Pointer.MetadataLocation)
	if err == nil && now == nil {
		now, err = f.longer(ctx, line{m.To.Pointer.MetadataLocation})
	}
	if err != nil {
		return nil, err
	}
	left, err := f.longer(ctx, line{before})
	if err != nil {
		return nil, err
	}
	for range maxAncestors {
		if left.parts(now) >= 0 {
			break
		}
		longerNow, err := f.longer(ctx, now)
		if err != nil {
			return nil, err
		}
		longerLeft, err := f.longer(ctx, left)
		if err != nil {
			return nil, err
		}
		if len(longerNow) == len(now) && len(longerLeft) == len(left) {
			break
		}
		now, left = longerNow, longerLeft
	}
	if part := left.parts(now); part < len(left)-1 {
		list = append(slices.Clone(list), left[part+1])
	}
	return now.without(list), nil
}

// parts is the place of the last file that two lines have in common; -1: none is
// known.
func (l line) parts(other line) int {
	at := map[string]bool{}
	for _, f := range other {
		at[place(f)] = true
	}
	for i, f := range slices.Backward(l) {
		if at[place(f)] {
			return i
		}
	}
	return -1
}

// without are the files of a list that are not in the line, each once.
func (l line) without(list []string) []string {
	seen := map[string]bool{}
	for _, f := range l {
		seen[place(f)] = true
	}
	var others []string
	for _, f := range list {
		if !seen[place(f)] {
			seen[place(f)] = true
			others = append(others, f)
		}
	}
	return others
}
