package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
	"puddle/rest/catalog/catalogtest"
)

// request is one command of the script, found again in the journal by its name.
type request struct {
	name string
	do   func(tb rapid.TB, p *process, cause journal.Cause) error
}

// script is a list of requests, made anew for each ground.
type script func(g *ground) []request

var scripts = map[string]script{
	"table": tableScript, "tables": tablesScript, "views": viewScript, "outdated": outdatedScript, "returns": returnScript,
	"namespaces": namespaceScript,
}

// start are the requests that every script begins with.
func start(g *ground) []request {
	return []request{
		{"namespace", func(_ rapid.TB, p *process, cause journal.Cause) error {
			_, err := p.CreateNamespace(ctx, cause, journal.Namespace{"n"}, map[string]string{"k": "v"})
			return err
		}},
		{"create", creating("a", g.url+"/a")},
	}
}

func creating(name, location string) func(rapid.TB, *process, journal.Cause) error {
	return func(_ rapid.TB, p *process, cause journal.Cause) error {
		_, err := p.CreateTable(ctx, cause, newTable(name, location))
		return err
	}
}

// tableScript goes through creates and commits in every way they end: done,
// without effect, refused before and after the file was written.
func tableScript(g *ground) []request {
	staged := catalog.Table{}
	commit := func(name, requirements, updates string) func(rapid.TB, *process, journal.Cause) error {
		return func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitOver(tb, p.Catalog, cause, change(tb, name, requirements, updates))
			return err
		}
	}
	return append(start(g), []request{
		{"append", appending("a", 1)},
		{"append again", appending("a", 2)},
		{"no effect", commit("a", "", setRef("main", 2))},
		{"requirement fails", commit("a", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v"))},
		{"name is taken", creating("a", "")},
		{"place is taken", creating("b", g.url+"/a/b")},
		{"stage", func(_ rapid.TB, p *process, _ journal.Cause) (err error) {
			staged, err = p.StageTable(ctx, newTable("c", ""))
			return err
		}},
		{"create by commit", func(tb rapid.TB, p *process, cause journal.Cause) error {
			if staged.Metadata == nil {
				return nil // it could not be staged
			}
			_, err := commitOver(tb, p.Catalog, cause, change(tb, "c", assertCreate, births(tb, staged)))
			return err
		}},
		{"place of a commit is taken", commit("c", "", set("write.data.path", g.url+"/a/data"))},
		{"set", func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitOver(tb, p.Catalog, cause, change(tb, "c", "", set("k", cause.RequestID)))
			return err
		}},
		{"rename", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.RenameTable(ctx, cause, id("c"), id("d"))
		}},
		{"drop", func(_ rapid.TB, p *process, cause journal.Cause) error {
			return p.DropTable(ctx, cause, id("d"), false)
		}},
	}...)
}

func appending(name string, snapshot int64) func(rapid.TB, *process, journal.Cause) error {
	return func(tb rapid.TB, p *process, cause journal.Cause) error {
		loaded, err := p.LoadTable(ctx, id(name))
		if err != nil {
			return err
		}
		requirements, updates := appendTo(tb, loaded, "main", snapshot)
		_, err = commitOver(tb, p.Catalog, cause, change(tb, name, requirements, updates))
		return err
	}
}

// answers is what the requests of a script were told, by name; who was told
// nothing, as the process was killed, is not in it.
type answers map[string]error

// play sends the script's requests until the process dies. Those of another
// round have other names.
func play(tb rapid.TB, p *process, script script, f *catalogtest.Steps, round string) answers {
	tb.Helper()
	told := answers{}
	for _, r := range script(p.ground) {
		err := r.do(tb, p, called(round+r.name))
		if f.Dead() {
			break
		}
		told[round+r.name] = err
	}
	return told
}

// check holds the answers against the events that are there afterwards. Only a
// refusal of the recorder is unknown.
func (told answers) check(tb rapid.TB, events []journal.Event, hit string) {
	tb.Helper()
	there := map[string]int{}
	for _, e := range events {
		there[e.Cause.RequestID]++
	}
	for name, err := range told {
		n := there[name]
		var refusal *catalog.Error
		switch {
		case n > 1:
			tb.Fatalf("%s was recorded %d times", name, n)
		case err == nil:
			if recorded := !strings.HasSuffix(name, "no effect") && !strings.HasSuffix(name, "stage"); n == 0 && recorded && !skipped(name, told) {
				tb.Fatalf("%s was acknowledged and is not there", name)
			}
		case !errors.As(err, &refusal):
			tb.Fatalf("%s: not worded: %v", name, err)
		case refusal.Code == catalog.OutcomeUnknown:
			if hit != "journal append" {
				tb.Fatalf("%s is unknown, but it was %q that failed", name, hit)
			}
		case n > 0:
			tb.Fatalf("%s was refused (%v) and is there", name, err)
		case refusal.Code == catalog.Unavailable && hit == "":
			tb.Fatalf("%s: %v without a fault", name, err)
		}
	}
}

// skipped tells whether a request had nothing to send.
func skipped(name string, told answers) bool {
	round, _, _ := strings.Cut(name, "create by commit")
	return strings.HasSuffix(name, "create by commit") && told[round+"stage"] != nil
}

// fates are what a killed process leaves of the pointer tables.
var fates = []string{"kept", "lost", "behind"}

// revive opens what a process left behind.
func revive(tb rapid.TB, g *ground, fate string) *process {
	tb.Helper()
	g.reopen(tb, fate != "kept")
	if fate == "behind" {
		head, err := g.journal.Warehouse(lake).Head(ctx)
		must(tb, err)
		must(tb, projections.CatchUp(ctx, g.journal.Warehouse(lake), head.Seq/2+1, g.pointers.Warehouse(lake)))
	}
	return g.start(tb, nil)
}

// Every I/O step of the script fails, in every way, or is the last of a process
// (law 5). Opened again: the laws hold, every acknowledged change is there, no
// refused one is, each unknown one is or is not, and every table has its file.
func TestFaultMatrix(t *testing.T) {
	for _, k := range []struct {
		kind
		choose func(steps []string) []int
	}{{kind{"memory", inMemory}, everyStep}, {kind{"tables", onTables}, oneOfEach}, {kind{"disk", onDisk}, oneOfEach}} {
		for name, script := range scripts {
			t.Run(k.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				next := folders(t)
				steps := checkFault(t, k.clear(t, next()), script, &catalogtest.Steps{}, "kept")
				for _, f := range sample(failures(steps, k.choose(steps))) {
					t.Run(fmt.Sprintf("%d %s/%s/tables %s", f.at, f.step, f.how, f.fate), func(t *testing.T) {
						checkFault(t, k.clear(t, next()), script, &catalogtest.Steps{At: f.at, How: f.how}, f.fate)
					})
				}
			})
		}
	}
}

// failure is how a step fails, and what becomes of the tables.
type failure struct {
	at   int
	step string
	how  fault
	fate string
}

func failures(steps []string, chosen []int) (all []failure) {
	for _, at := range chosen {
		for _, how := range waysToFail(steps[at-1]) {
			for _, fate := range fatesOf(how) {
				all = append(all, failure{at, steps[at-1], how, fate})
			}
		}
	}
	return all
}

// sample is an eighth of them where not everything is required, another one each time, with
// each step, each way and each fate among them.
func sample(all []failure) []failure {
	if os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
		return all
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	seen := map[string]bool{}
	var taken []failure
	for i, f := range all {
		way := fmt.Sprint(f.how, " ", f.fate)
		if i%8 == 0 || !seen[f.step] || !seen[way] {
			taken = append(taken, f)
			seen[f.step], seen[way] = true, true
		}
	}
	return taken
}

func everyStep(steps []string) []int {
	var all []int
	for i := range steps {
		all = append(all, i+1)
	}
	return all
}

// oneOfEach is the last step of each kind, where every one takes long.
func oneOfEach(steps []string) []int {
	of := map[string]int{}
	for i, step := range steps {
		of[step] = i + 1
	}
	return slices.Sorted(maps.Values(of))
}

func waysToFail(step string) []fault {
	ways := []fault{before, after, killedBefore, killedAfter}
	if step == "journal append" {
		ways = append(ways, lost)
	}
	return ways
}

func fatesOf(how fault) []string {
	if how == killedBefore || how == killedAfter {
		return fates
	}
	return fates[:1]
}

// checkFault plays the script twice, the first time with a fault, and answers
// the steps of that.
func checkFault(t *testing.T, g *ground, script script, f *catalogtest.Steps, fate string) []string {
	t.Helper()
	defer func() { g.close(t) }()
	p := g.start(t, f)
	told := play(t, p, script, f, "")
	p.stop(t)
	steps := f.Since(0)
	checkMeaning(t, told, f)

	p = revive(t, g, fate)
	events := audit(t, g)
	told.check(t, events, f.Hit())
	checkStrays(t, g, events, f)
	again := play(t, p, script, nil, "again ")
	p.stop(t)
	events = audit(t, g)
	told.check(t, events, f.Hit())
	again.check(t, events, "")
	return steps
}

// checkMeaning: what passes is Unavailable, what may be done is OutcomeUnknown,
// and nothing else is either.
func checkMeaning(t *testing.T, told answers, f *catalogtest.Steps) {
	t.Helper()
	for name, err := range told {
		unknown := hasCode(err, catalog.OutcomeUnknown)
		if unknown && (f.Hit() != "journal append" || f.How == before) {
			t.Errorf("%s is unknown after %q %s", name, f.Hit(), f.How)
		}
		if f.At == 0 && hasCode(err, catalog.Unavailable, catalog.OutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f.At != 0 {
		return
	}
	for name, want := range meant {
		err, asked := told[name]
		if asked && (want == "" && err != nil || want != "" && !hasCode(err, want)) {
			t.Errorf("%s without a fault: %v, want %q", name, err, want)
		}
	}
}

// meant is what becomes of some requests when nothing fails: "" for done.
var meant = map[string]catalog.Code{
	"no effect": "", "requirement fails": catalog.CommitFailed, "name is taken": catalog.AlreadyExists,
	"place is taken": catalog.AlreadyExists, "place of a commit is taken": catalog.AlreadyExists, "drop": "",
	"place of a view is taken": catalog.AlreadyExists, "drop it again": "",
	"transaction with no effect": "", "requirement of a transaction fails": catalog.CommitFailed,
	"place of a transaction is taken": catalog.AlreadyExists, "overwrite with no effect": "", "drop the other": "",
	"nothing to undrop": catalog.NoSuchTable, "undrop as": "", "counters go back": catalog.Unsafe, "repoint": "", "undrop": "",
	"repoint with no effect": "",
	"namespace is taken":     catalog.AlreadyExists, "update": "", "update with no effect": "", "drop what is not empty": catalog.NamespaceNotEmpty,
	"drop namespace": "", "drop what is gone": catalog.NoSuchNamespace,
}

// checkStrays: a file of nobody stays only where it could not be removed, or must
// not be.
func checkStrays(t *testing.T, g *ground, events []journal.Event, f *catalogtest.Steps) {
	t.Helper()
	left := strays(t, g, events)
	may := 0
	switch {
	case f.Dead() || f.How == lost:
		may = 2 // a transaction has as many
	case f.Hit() == "file delete" && f.How == before:
		may = 1
	}
	if len(left) > may {
		t.Errorf("left behind: %q", left)
	}
}
