package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/recover"
)

// recoverPage is the report as scripts read it (interface §4).
type recoverPage struct {
	Warehouses []recoveredPage `json:"warehouses"`
	DryRun     bool            `json:"dry-run"`
}

type recoveredPage struct {
	Warehouse      string                   `json:"warehouse"`
	From           recover.Source           `json:"from"`
	EventsReplayed int                      `json:"events-replayed"`
	MovesImported  int                      `json:"moves-imported,omitzero"`
	Namespaces     []recoveredNamespacePage `json:"namespaces"`
	Objects        []recoveredObjectPage    `json:"objects"`
	Unregistered   []unregisteredPage       `json:"unregistered"`
	NotUsed        []notUsedPage            `json:"not-used"`
	Warnings       []string                 `json:"warnings"`
	Elsewhere      string                   `json:"elsewhere,omitempty"`
	Totals         recoverTotalsPage        `json:"totals"`
}

type recoveredNamespacePage struct {
	Namespace  journal.Namespace     `json:"namespace"`
	Outcome    recover.ObjectOutcome `json:"outcome"`
	Properties string                `json:"properties"`
	Error      *string               `json:"error,omitempty"`
}

type recoveredObjectPage struct {
	Kind             journal.ObjectKind    `json:"kind"`
	UUID             *uuid.UUID            `json:"uuid"`
	Identifier       journal.Identifier    `json:"identifier"`
	Outcome          recover.ObjectOutcome `json:"outcome"`
	MetadataLocation string                `json:"metadata-location"`
	Evidence         recover.Evidence      `json:"evidence"`
	Confidence       recover.Confidence    `json:"confidence"`
	CommitsBehind    int                   `json:"commits-behind"`
	Warnings         []string              `json:"warnings"`
	Error            *string               `json:"error"`
}

type unregisteredPage struct {
	UUID     *uuid.UUID `json:"uuid"`
	Location string     `json:"location"`
	Newest   string     `json:"newest-metadata-location"`
}

type notUsedPage struct {
	MetadataLocation string `json:"metadata-location"`
	Reason           string `json:"reason"`
}

type recoverTotalsPage struct {
	Recovered    int `json:"recovered"`
	Skipped      int `json:"skipped"`
	Dropped      int `json:"dropped"`
	Failed       int `json:"failed"`
	Unregistered int `json:"unregistered"`
}

func (x *recovery) page(all []recover.Report, typed func(string) string) recoverPage {
	p := recoverPage{Warehouses: []recoveredPage{}, DryRun: x.DryRun}
	for _, r := range all {
		for i := range r.Warnings {
			r.Warnings[i] = typed(r.Warnings[i])
		}
		for _, o := range r.Objects {
			for i := range o.Warnings {
				o.Warnings[i] = typed(o.Warnings[i])
			}
		}
		p.Warehouses = append(p.Warehouses, pageOf(r))
	}
	return p
}

func pageOf(r recover.Report) recoveredPage {
	t := r.Totals()
	p := recoveredPage{
		Warehouse: r.Warehouse, From: r.From, EventsReplayed: r.EventsReplayed, MovesImported: r.Imported,
		Namespaces: []recoveredNamespacePage{}, Objects: []recoveredObjectPage{},
		Unregistered: []unregisteredPage{}, NotUsed: []notUsedPage{}, Warnings: append([]string{}, r.Warnings...), Elsewhere: r.Elsewhere,
		Totals: recoverTotalsPage{t.Recovered, t.Skipped, t.Dropped, t.Failed, t.Unregistered},
	}
	for _, n := range r.Namespaces {
		properties := "from-" + n.From
		if n.From == recover.PropertiesMissing {
			properties = n.From
		}
		p.Namespaces = append(p.Namespaces, recoveredNamespacePage{n.Name, n.Outcome, properties, textOf(n.Err)})
	}
	for _, o := range r.Objects {
		p.Objects = append(p.Objects, recoveredObjectPage{
			o.Kind, idOf(o.UUID), o.Identifier, o.Outcome, o.MetadataLocation, o.Evidence, o.Confidence,
			o.CommitsBehind, append([]string{}, o.Warnings...), textOf(o.Err),
		})
	}
	for _, u := range r.Unregistered {
		p.Unregistered = append(p.Unregistered, unregisteredPage{idOf(u.UUID), u.Location, u.Newest})
	}
	for _, n := range r.NotUsed {
		p.NotUsed = append(p.NotUsed, notUsedPage(n))
	}
	return p
}

// textOf is an error's text; null for none.
func textOf(err error) *string {
	if err == nil {
		return nil
	}
	text := err.Error()
	return &text
}

// idOf is null for what has no uuid.
func idOf(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// counted is a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// tell reports what was done, and ends with what was not.
func (x *recovery) tell(s *session, all []recover.Report, err error) error {
	var told error
	if x.JSON {
		told = s.json(x.page(all, s.typed))
	} else {
		for _, r := range all {
			told = errors.Join(told, s.lines(linesOf(r, x.DryRun)))
		}
		if err == nil && !x.DryRun {
			told = errors.Join(told, s.lines([]string{"next: start the server: puddle serve"}))
		}
	}
	if err = errors.Join(err, told); err != nil {
		return err
	}
	var failed, warnings, unregistered int
	for _, r := range all {
		t := r.Totals()
		failed += t.Failed + t.FailedNamespaces
		warnings += t.Warnings
		unregistered += t.Unregistered
	}
	switch {
	case failed > 0:
		return fail(codeFindings, "could not be recovered: %d", failed)
	case warnings+unregistered > 0:
		return fail(codeWarnings, "%s", noted(warnings, unregistered))
	}
	return nil
}

// noted counts what is left to be looked at.
func noted(warnings, unregistered int) string {
	var all []string
	if warnings > 0 {
		all = append(all, fmt.Sprintf("warnings: %d", warnings))
	}
	if unregistered > 0 {
		all = append(all, fmt.Sprintf("tables and views to register by hand: %d", unregistered))
	}
	return strings.Join(all, ", ")
}

// lostFiles tells whether a whole journal's report has tables or views whose metadata
// files were not there.
func lostFiles(r recover.Report) bool {
	return slices.ContainsFunc(r.Objects, func(o recover.PlannedObject) bool { return len(o.Warnings) > 0 })
}

// linesOf is the report for people: what is not as it should be comes last.
func linesOf(r recover.Report, dryRun bool) []string {
	t := r.Totals()
	done := "recovered"
	if dryRun {
		done = "to be recovered"
	}
	lines := []string{fmt.Sprintf("warehouse %s, from %s: %s and %s %s; %d skipped, %d dropped, %d failed, %d unregistered",
		r.Warehouse, r.From, counted(t.Namespaces, "namespace", "namespaces"), counted(t.Recovered, "table or view", "tables and views"), done, t.Skipped, t.Dropped, t.Failed, t.Unregistered)}
	switch {
	case r.Whole && !lostFiles(r):
		lines = append(lines, "  nothing was lost: the journal is whole, and the pointer tables follow it")
	case r.Whole:
		lines = append(lines, "  the journal is whole, and the pointer tables follow it: only metadata files were lost")
	}
	if r.EventsReplayed > 0 {
		lines = append(lines, fmt.Sprintf("  %s replayed", counted(r.EventsReplayed, "event was", "events were")))
	}
	if r.Imported > 0 {
		lines = append(lines, fmt.Sprintf("  %s in the history", counted(r.Imported, "old move is", "old moves are")))
	}
	if r.Elsewhere != "" {
		lines = append(lines, "  "+r.Elsewhere)
	}
	for _, w := range r.Warnings {
		lines = append(lines, "  warning: "+w)
	}
	for _, n := range r.Namespaces {
		line := fmt.Sprintf("  namespace %s: %s, properties from %s", n.Name, n.Outcome, n.From)
		if n.From == recover.PropertiesMissing {
			line = fmt.Sprintf("  namespace %s: %s, its properties are not known", n.Name, n.Outcome)
		}
		if n.Err != nil {
			line += ": " + n.Err.Error()
		}
		lines = append(lines, line)
	}
	for _, o := range r.Objects {
		lines = append(lines, objectLines(o)...)
	}
	for _, u := range r.Unregistered {
		lines = append(lines, fmt.Sprintf("  unregistered: %s at %s: register %s", u.UUID, u.Location, u.Newest))
	}
	for _, n := range r.NotUsed {
		lines = append(lines, fmt.Sprintf("  not used: %s: %s", n.MetadataLocation, n.Reason))
	}
	return lines
}

func objectLines(o recover.PlannedObject) []string {
	name := "with sidecar " + o.UUID.String()
	if o.Identifier.Name != "" {
		name = fmt.Sprintf("%s (%s)", o.Identifier.Quoted(), o.UUID)
	}
	kind := string(o.Kind)
	if kind == "" {
		kind = "object"
	}
	lines := []string{fmt.Sprintf("  %s %s: %s", kind, name, o.Outcome)}
	switch {
	case o.Err != nil:
		lines[0] += ": " + o.Err.Error()
	case o.Outcome == recover.Recovered:
		lines[0] += fmt.Sprintf(", %s by %s, at %s", o.Confidence, o.Evidence, o.MetadataLocation)
		if o.CommitsBehind > 0 {
			lines[0] += fmt.Sprintf(" (its sidecar was %s behind)", counted(o.CommitsBehind, "commit", "commits"))
		}
	}
	for _, w := range o.Warnings {
		lines = append(lines, "    warning: "+w)
	}
	return lines
}
