package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"puddle/recover/verify"
)

// verifyReport gathers what a verification says.
type verifyReport struct {
	session *session
	request verifyRequest
	told    time.Time // when progress was told last

	pages     verifyPages
	summaries []verify.Summary
	findings  []verify.Finding
	unseen    []verify.Unseen
	repairs   []verify.Finding
	left      []verify.Finding
	ended     *verifyEnd
}

func (r *verifyReport) take(line verifyLine) {
	switch {
	case line.Progress != nil:
		if now := time.Now(); now.Sub(r.told) >= progressEvery {
			r.told = now
			fmt.Fprintf(r.session.stderr, "verify: %s\n", printable(line.Progress.String()))
		}
	case line.Pages != nil:
		r.pages = *line.Pages
	case line.Finding != nil:
		r.findings = append(r.findings, r.typed(*line.Finding))
	case line.Unseen != nil:
		r.unseen = append(r.unseen, *line.Unseen)
	case line.Repair != nil:
		r.repairs = append(r.repairs, r.typed(*line.Repair))
	case line.Left != nil:
		r.left = append(r.left, r.typed(*line.Left))
	case line.Summary != nil:
		r.summaries = append(r.summaries, *line.Summary)
	case line.End != nil:
		r.ended = line.End
	}
}

// typed is a finding whose commands name the configuration.
func (r *verifyReport) typed(f verify.Finding) verify.Finding {
	f.Message, f.Next = r.session.typed(f.Message), r.session.typed(f.Next)
	return f
}

// verifyPage is the report that scripts read.
type verifyPage struct {
	Level      int              `json:"level"`
	Sample     float64          `json:"sample"`
	Pages      verifyPages      `json:"pages"`
	Warehouses []verify.Summary `json:"warehouses"`
	Findings   []verify.Finding `json:"findings"`
	Unseen     []verify.Unseen  `json:"unseen"`
	Repair     bool             `json:"repair"`
	DryRun     bool             `json:"dry-run"`
	Repairs    []verify.Finding `json:"repairs"`
	Left       []verify.Finding `json:"left"`
	Totals     verifyTotals     `json:"totals"`
}

// verifyTotals counts what holds at the end: after a repair, what is left.
type verifyTotals struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Unseen   int `json:"unseen"`
}

func (r *verifyReport) totals() verifyTotals {
	t := verifyTotals{Unseen: len(r.unseen)}
	holds := r.findings
	if r.ended != nil && r.ended.Mended {
		holds = r.left
	}
	for _, f := range holds {
		switch f.Severity {
		case verify.Error:
			t.Errors++
		case verify.Warning:
			t.Warnings++
		default:
			t.Notes++
		}
	}
	return t
}

// end prints the report and answers the error that has the exit code.
func (r *verifyReport) end(asJSON bool, failed error) error {
	var known *failure
	switch {
	case errors.As(failed, &known) && r.ended == nil && len(r.findings)+len(r.unseen) == 0:
		return failed
	case failed != nil:
		r.unseen = append(r.unseen, verify.Unseen{Message: failed.Error()})
	case r.ended == nil:
		r.unseen = append(r.unseen, verify.Unseen{Message: "the server ended before all was looked at"})
	case r.ended.Error != "":
		r.unseen = append(r.unseen, verify.Unseen{Message: r.ended.Error})
	}
	t := r.totals()
	var err error
	if asJSON {
		err = r.session.json(verifyPage{
			r.request.Level, r.request.Sample, r.pages, r.summaries, r.findings, r.unseen,
			r.request.Repair, r.request.DryRun, r.repairs, r.left, t,
		})
	} else {
		err = r.session.lines(r.text(t))
	}
	return errors.Join(err, r.verdict(t))
}

func (r *verifyReport) verdict(t verifyTotals) error {
	switch {
	case r.ended != nil && r.ended.Refused != "":
		return fail(codeRefused, "%s", r.ended.Refused)
	case t.Errors > 0:
		return fail(codeFindings, "errors: %d, warnings: %d, not looked at: %d", t.Errors, t.Warnings, t.Unseen)
	case t.Unseen > 0:
		return fail(codeNoLook, "not looked at: %d", t.Unseen)
	case t.Warnings > 0:
		return fail(codeWarnings, "warnings: %d", t.Warnings)
	}
	return nil
}

func (r *verifyReport) text(t verifyTotals) []string {
	var lines []string
	for _, s := range r.summaries {
		line := fmt.Sprintf("%s: head %s of %s; %d events, %d documents", s.Warehouse, s.Seq, s.Incarnation, s.Events, s.Documents)
		if s.Level >= 2 {
			line += "; pointer tables: " + s.Tables
		}
		if s.Level >= 3 {
			line += fmt.Sprintf("; %d tables and views, %d files, %d bytes", s.Objects, s.Files, s.Bytes)
		}
		lines = append(lines, line)
		if s.TooYoung > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s that no event names, too young to tell whether a change under way made them: look again after %s",
				s.Warehouse, counted(int(s.TooYoung), "file", "files"), s.LookAgain.Format(time.RFC3339)))
		}
		if s.Resumed != "" {
			lines = append(lines, fmt.Sprintf("%s: looked at by an earlier run: %s", s.Warehouse, s.Resumed))
		}
	}
	for _, f := range r.findings {
		lines = append(lines, f.String())
	}
	for _, f := range r.repairs {
		lines = append(lines, "repair: "+f.String())
	}
	for _, f := range r.left {
		lines = append(lines, "left: "+f.String())
	}
	for _, u := range r.unseen {
		lines = append(lines, fmt.Sprintf("not looked at: %s %s: %s", u.Warehouse, u.Place, u.Message))
	}
	young := slices.ContainsFunc(r.summaries, func(s verify.Summary) bool { return s.TooYoung > 0 })
	clean := t == (verifyTotals{Notes: t.Notes})
	switch {
	case clean && r.pages.Reason != "":
		lines = append(lines, "clean, but for what was not looked at: the pages of the journal's file: "+r.pages.Reason)
	case clean && young:
		lines = append(lines, "clean, but for files that are too young")
	case clean:
		lines = append(lines, "clean")
	case r.pages.Reason != "":
		lines = append(lines, "not looked at: the pages of the journal's file: "+r.pages.Reason)
	}
	return lines
}
