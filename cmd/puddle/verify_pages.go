package main

import (
	"context"

	"puddle/journal"
	"puddle/recover/verify"
)

// pager is a journal that is open to be written and can look at its own pages.
type pager interface {
	// CheckPages is false when each try met an append.
	CheckPages(ctx context.Context, found func(journal.Flaw)) (bool, error)
}

// checkPages looks at the pages of the journal that a server has open. Without one
// they were looked at before the file was opened.
func (v *verification) checkPages(ctx context.Context) {
	j, ok := v.journal.(pager)
	if v.serving == nil || !ok {
		return
	}
	looked, err := j.CheckPages(ctx, func(f journal.Flaw) {
		finding := verify.Finding{Level: 1, Severity: verify.Error, Kind: verify.KindJournal, Place: "journal", Message: f.Reason, Next: "puddle recover"}
		if f.Torn {
			finding.Severity, finding.Kind, finding.Next = verify.Warning, verify.KindTorn, ""
		}
		v.pagesBad = v.pagesBad || !f.Torn
		v.say(verifyLine{Finding: &finding})
	})
	pages := verifyPages{LookedAt: looked}
	switch {
	case err != nil:
		pages.Reason = err.Error()
	case !looked:
		pages.Reason = "the server wrote to it each time; without a server verify looks at them"
	}
	v.say(verifyLine{Pages: &pages})
}
