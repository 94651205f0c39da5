package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"puddle/cmd/puddle/config"
	"puddle/recover/verify"
)

// verifyCmd proves that the catalog is what its journal says.
type verifyCmd struct {
	Warehouse string `arg:"" optional:"" help:"Its name; default: all."`
	Level     int    `placeholder:"N" default:"3" help:"1: the chain; 2: and that the pointer tables are its fold; 3: and the file of each pointer; 4: and that it is the newest of its table. Default 3."`
	Sample    string `placeholder:"X%" default:"100%" help:"The share of the tables and views whose files levels 3 and 4 look at; each run picks others. Default 100%."`
	Resume    bool   `help:"Go on where the last verify of the same warehouse, level and sample was stopped: what it had looked at, and nothing has changed since, is not looked at again."`
	Repair    bool   `help:"Write missing and changed metadata files again from the journal, and pointer tables anew. What is there is kept beside it."`
	DryRun    bool   `help:"With --repair: say what would be done, and do nothing."`
	JSON      bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (verifyCmd) Help() string {
	return "Changes nothing unless --repair is given. Works beside a running server, which then does it, and without one; beside replicas on other machines, too. " +
		"What could not be looked at is neither clean nor a finding: exit code 4. Levels 5 and 6 (manifests, data files) are not in this build."
}

func (verifyCmd) exits() []int {
	return []int{codeFindings, codeWarnings, codeNoLook, codeRefused}
}

// Run asks the running server, or looks at the files itself.
func (v verifyCmd) Run(s *session) error {
	asked, err := v.request()
	if err != nil {
		return err
	}
	c, err := s.config()
	if err != nil {
		return err
	}
	if v.Warehouse != "" && !named(c, v.Warehouse) {
		return fail(codeUsage, "there is no warehouse %s in the configuration", v.Warehouse)
	}
	report, began := &verifyReport{session: s, request: asked}, time.Now()
	l, err := acquire(c.DataDir)
	var busy *held
	switch {
	case errors.As(err, &busy) && (c.Metastore.Type != config.Postgres || busy.by.socket != ""):
		err = askVerify(s, busy, asked, report.take)
	case c.Metastore.Type == config.Postgres: // nothing of the catalog is in the folder
		err = errors.Join(l.release(), s.verifyDatabase(c, asked, report.take))
	case errors.Is(err, os.ErrNotExist):
		return fail(codeNoLook, "there is no catalog in %s yet", c.DataDir)
	case err != nil:
		return noLook(err)
	default:
		err = s.verifyFiles(c, l, asked, report.take)
	}
	if err = report.end(v.JSON, err); report.ended != nil && !report.ended.Began.IsZero() {
		began = report.ended.Began
	}
	if err == nil && c.Metastore.Type != config.Memory && !absent(c.DataDir) {
		s.keepProof(c.DataDir, asked, report.summaries, began)
	}
	return err
}

func named(c config.Config, warehouse string) bool {
	for _, w := range c.Warehouses {
		if w.Name == warehouse {
			return true
		}
	}
	return false
}

// verifyRequest is what is to be looked at; the body of the server's route.
type verifyRequest struct {
	Warehouse string  `json:"warehouse"` // empty: all
	Level     int     `json:"level"`
	Sample    float64 `json:"sample"`
	Seed      uint64  `json:"seed"`
	Resume    bool    `json:"resume"`
	Repair    bool    `json:"repair"`
	DryRun    bool    `json:"dry-run"`
}

func (v verifyCmd) request() (verifyRequest, error) {
	switch {
	case v.Level == 5 || v.Level == 6:
		return verifyRequest{}, fail(codeUsage, "--level %d, manifests and data files, is not in this build: 1 to %d are", v.Level, verify.MaxLevel)
	case v.Level < 1 || v.Level > verify.MaxLevel:
		return verifyRequest{}, fail(codeUsage, "--level %d: there are levels 1 to %d", v.Level, verify.MaxLevel)
	case v.DryRun && !v.Repair:
		return verifyRequest{}, fail(codeUsage, "--dry-run is for --repair: without it nothing is changed")
	}
	text, _ := strings.CutSuffix(v.Sample, "%")
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share > 0 && share <= 100) {
		return verifyRequest{}, fail(codeUsage, "--sample %s: a percentage above 0 and up to 100 is needed, such as 5%%", v.Sample)
	}
	return verifyRequest{v.Warehouse, v.Level, share / 100, rand.Uint64(), v.Resume, v.Repair, v.DryRun}, nil
}

// verifyLine is one thing that a verification says: exactly one of these is set.
type verifyLine struct {
	Progress *verifyProgress `json:"progress,omitempty"`
	Pages    *verifyPages    `json:"pages,omitempty"`
	Finding  *verify.Finding `json:"finding,omitempty"`
	Unseen   *verify.Unseen  `json:"unseen,omitempty"`
	Repair   *verify.Finding `json:"repair,omitempty"` // what was, or would be, done
	Left     *verify.Finding `json:"left,omitempty"`   // a finding after the repair
	Summary  *verify.Summary `json:"summary,omitempty"`
	End      *verifyEnd      `json:"end,omitempty"`
}

type verifyProgress struct {
	Warehouse string `json:"warehouse"`
	Level     int    `json:"level"`
	Done      int64  `json:"done"`
	All       int64  `json:"all"`
}

// verifyPages tells whether the pages of the journal's file were looked at, which is
// beside what the levels prove.
type verifyPages struct {
	LookedAt bool   `json:"looked-at"`
	Reason   string `json:"reason,omitempty"` // why not
}

// verifyEnd is the last line: without it nobody knows whether all was looked at.
type verifyEnd struct {
	Mended  bool   `json:"mended"`            // something was repaired, and looked at again
	Refused string `json:"refused,omitempty"` // why nothing is repaired
	Error   string `json:"error,omitempty"`

	Began time.Time `json:"began"` // when the first look was taken that it reports
}

func (p verifyProgress) String() string {
	what := [...]string{"", "events", "events folded", "tables and views"}[p.Level]
	if p.All > 0 && p.All != p.Done {
		return fmt.Sprintf("%s: %d of %d %s", p.Warehouse, p.Done, p.All, what)
	}
	return fmt.Sprintf("%s: %d %s", p.Warehouse, p.Done, what)
}
