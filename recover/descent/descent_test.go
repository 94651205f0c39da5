package descent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/recover/descent"
)

var (
	table = uuid.MustParse("4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12")
	other = uuid.MustParse("9f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12")
	start = time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC)
)

func at(name string) warehouse.Location {
	l, err := warehouse.ParseLocation("file:///w/t/metadata/" + name + ".metadata.json")
	if err != nil {
		panic(err)
	}
	return l
}

func named(name string) descent.Name { return descent.Name{Spelled: name, Location: at(name)} }

// folder is files, written "D:C,B" for a file D that lists C, then B. Each is an hour
// younger than the one before. "/" before the name makes it another table's, "-" one
// without a uuid.
func folder(files string) []descent.File {
	var all []descent.File
	for i, text := range strings.Fields(files) {
		name, log, _ := strings.Cut(text, ":")
		f := descent.File{UUID: table, LastUpdated: start.Add(time.Duration(i) * time.Hour)}
		switch name[0] {
		case '/':
			f.UUID, name = other, name[1:]
		case '-':
			f.UUID, name = uuid.Nil, name[1:]
		}
		f.Name = named(name)
		for before := range strings.SplitSeq(log, ",") {
			if before != "" {
				f.Log = append(f.Log, at(before))
			}
		}
		all = append(all, f)
	}
	return all
}

// sidecar is an object whose sidecar names S.
func sidecar() descent.Object { return descent.Object{UUID: table, Current: named("S")} }

func all(names string) (locations []warehouse.Location) {
	for name := range strings.FieldsSeq(names) {
		locations = append(locations, at(name))
	}
	return locations
}

// outcome is a choice in one line: "D +3", with "!" where something is odd.
func outcome(c descent.Choice) string {
	text := c.Spelled
	if c.Err != nil {
		text = "none"
	}
	if c.Behind > 0 {
		text += " +" + string(rune('0'+c.Behind))
	}
	if c.Proven {
		text += " proven"
	}
	if len(c.Warnings) > 0 {
		text += " !"
	}
	return text
}

// expect checks a choice, whatever the order of the files.
func expect(t *testing.T, o descent.Object, files string, proof descent.Proof, want string, says ...string) {
	t.Helper()
	given := folder(files)
	for range 2 {
		c := descent.Choose(o, given, proof)
		if got := outcome(c); got != want {
			t.Errorf("%s: %s, want %s (%v, %v)", files, got, want, c.Warnings, c.Err)
		}
		text := strings.Join(c.Warnings, "\n")
		if c.Err != nil {
			text += c.Err.Error()
		}
		for _, n := range c.NotUsed {
			text += "\nnot used: " + n.Location + ": " + n.Reason
		}
		for _, part := range says {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q does not say %q", files, text, part)
			}
		}
		slices.Reverse(given)
	}
}

func TestNoDescendants(t *testing.T) {
	expect(t, sidecar(), "S", descent.Proof{}, "S")
	expect(t, sidecar(), "A S:A", descent.Proof{}, "S")
	expect(t, sidecar(), "S:X,Y", descent.Proof{}, "S")
	expect(t, sidecar(), "Z:X A:Z S:A B:S", descent.Proof{}, "B +1")
}

func TestCase36_AnotherTablesFiles(t *testing.T) {
	expect(t, sidecar(), "S /v9:v8 /v8", descent.Proof{}, "S", "not used: v9: it is of another uuid")
	expect(t, sidecar(), "S /v9:S", descent.Proof{}, "S", "not used: v9")
	expect(t, sidecar(), "S -v9:S", descent.Proof{}, "S", "not used: v9: it has no uuid")
	expect(t, sidecar(), "/S B:S", descent.Proof{}, "B +1 !", "cannot be used (it is of another uuid")
	expect(t, sidecar(), "/S", descent.Proof{}, "none", "cannot be used: it is of another uuid, "+other.String(), "no file of its own is left")
	if c := descent.Choose(sidecar(), folder("/S"), descent.Proof{}); !errors.Is(c.Err, descent.ErrUnusable) || errors.Is(c.Err, descent.ErrGone) {
		t.Error(c.Err)
	}
}

func TestCase3_NoUUID(t *testing.T) {
	expect(t, sidecar(), "-S B:S C:B", descent.Proof{}, "C +2")
	expect(t, sidecar(), "-A -S:A -X:Y", descent.Proof{}, "S !")
}

func TestCase38_ShortLogs(t *testing.T) {
	expect(t, sidecar(), "S B:S C:B D:C", descent.Proof{}, "D +3")
	expect(t, sidecar(), "S B:S C:S,B D:S,B,C", descent.Proof{}, "D +3")
	expect(t, sidecar(), "S D:C C:B B:S", descent.Proof{}, "D +3")
	expect(t, sidecar(), "S B:S C: D:", descent.Proof{}, "B +1", "not used: C: it is as new as S")
}

func TestCase39_FilesAreGone(t *testing.T) {
	expect(t, sidecar(), "B:S C:S,B", descent.Proof{}, "C +2 !", "S, which its sidecar names, is gone")
	expect(t, sidecar(), "A B:A,S C:S,B", descent.Proof{}, "C +2 !")
	expect(t, sidecar(), "", descent.Proof{}, "none", "is gone", "no file of it is left")
	expect(t, sidecar(), "A", descent.Proof{}, "none", "the last one by time is A")
	expect(t, sidecar(), "C:B D:B,C", descent.Proof{}, "none", "C, D")
	expect(t, sidecar(), "S C:S,B", descent.Proof{}, "C +2 !", "1 metadata files between S and C are gone")
	expect(t, sidecar(), "S C:B", descent.Proof{}, "S !", "gone that may have led from S to C")
	expect(t, sidecar(), "S B:S D:C", descent.Proof{}, "S !", "D")
	expect(t, sidecar(), "-A X:A B:S", descent.Proof{}, "B +1 !", "not used: X")
	expect(t, sidecar(), "Z:Y A S:A B:S", descent.Proof{}, "B +1", "")
	damaged := sidecar()
	damaged.Damage = "it is torn"
	expect(t, damaged, "S B:S", descent.Proof{}, "B +1 !", "it is torn")
	expect(t, damaged, "S", descent.Proof{}, "none", "it is torn")
	if c := descent.Choose(sidecar(), nil, descent.Proof{}); !errors.Is(c.Err, descent.ErrGone) {
		t.Error(c.Err)
	}
	if c := descent.Choose(sidecar(), folder("B:S C:S"), descent.Proof{}); !errors.Is(c.Err, descent.ErrUndecided) {
		t.Error(c.Err)
	}
}

func TestCase40_Forks(t *testing.T) {
	expect(t, sidecar(), "S B1:S B2:S", descent.Proof{}, "S !", "forks after S", "B1, B2")
	expect(t, sidecar(), "S B1:S B2:S C1:B1 D1:C1", descent.Proof{}, "S !", "B2, D1")
	expect(t, sidecar(), "S B:S C1:B C2:B D1:C1", descent.Proof{}, "S !", "forks after B", "C2, D1")
	expect(t, sidecar(), "S B:S C1:S,B C2:S,B", descent.Proof{}, "S !", "forks after B", "not used: C1")
	expect(t, sidecar(), "S C1:S,B C2:S,B", descent.Proof{}, "S !", "C1, C2")
	expect(t, sidecar(), "A S:A X:A B:S", descent.Proof{}, "B +1", "not used: X: it was made beside S")
}

func TestLogsInACircle(t *testing.T) {
	expect(t, sidecar(), "S B:S,B", descent.Proof{}, "B +1")
	expect(t, sidecar(), "S:B B:S", descent.Proof{}, "S !", "list each other")
	expect(t, sidecar(), "S B:S,C C:B", descent.Proof{}, "S !", "list each other")
}

func TestUnconfirmed(t *testing.T) {
	o := sidecar()
	o.Unconfirmed = all("U V")
	expect(t, o, "S U:S", descent.Proof{}, "S !", "may have landed", "not used: U")
	expect(t, o, "S U:S B:S", descent.Proof{}, "B +1 !", "not used: U")
	expect(t, o, "S U:S C:U", descent.Proof{}, "C +2 !", "U, whose outcome was unknown, landed")
	expect(t, o, "S B:S U:B C:U", descent.Proof{}, "C +3 !", "landed")
	expect(t, o, "S U:S V:U", descent.Proof{}, "S !")
	expect(t, o, "S U:S V:U C:V", descent.Proof{}, "C +3 !")
	expect(t, o, "S U:S B:S C:U", descent.Proof{}, "S !", "forks")
	expect(t, o, "S C:U", descent.Proof{}, "S !", "gone")
	expect(t, o, "S C:S,U", descent.Proof{}, "C +2 !")
}

func TestAbandoned(t *testing.T) {
	o := sidecar()
	o.Abandoned = all("B")
	expect(t, o, "S B:S C:B D:C", descent.Proof{}, "S", "not used: B: the pointer was moved away", "not used: D: it comes from a file that")
	expect(t, o, "S B:S C:S,B E:S", descent.Proof{}, "E +1")
	expect(t, o, "S C:B E:S", descent.Proof{}, "E +1", "not used: C")
	expect(t, o, "B S:B C:S", descent.Proof{}, "C +1")
	left := descent.Proof{Committed: map[warehouse.Location]bool{at("S"): true, at("X"): true, at("B"): true}}
	expect(t, sidecar(), "A S:A X:A B:S", left, "B +1 proven", "not used: X: it was committed, and the pointer was moved away from it")
	o.Written = start
	expect(t, o, "S B:S C:B", descent.Proof{}, "S !", "may have been moved back", "B, C")
}

// A sidecar that names its event tells when S was current: what was made before is no
// later commit.
func TestMadeBeforeTheSidecar(t *testing.T) {
	o := sidecar()
	o.Written = start.Add(3 * time.Hour)
	expect(t, o, "S B:S C:B", descent.Proof{}, "C +2 !", "made before its sidecar")
	o.Exact = true
	expect(t, o, "S B:S C:B", descent.Proof{}, "S !", "made before its sidecar")
	expect(t, o, "S B:S C:B D:C", descent.Proof{}, "D +3")
	committed := descent.Proof{Committed: map[warehouse.Location]bool{at("B"): true, at("D"): true}}
	expect(t, o, "S B:S C:B", committed, "S !")
	expect(t, o, "S B:S C:B D:C", committed, "D +3 proven")
}

func TestCase63_Views(t *testing.T) {
	o := sidecar()
	o.View = true
	expect(t, o, "A S:A B:S C:B", descent.Proof{}, "S", "not used: B: it is as new")
	expect(t, o, "A", descent.Proof{}, "none", "views have no log")
}

func TestProven(t *testing.T) {
	proof := func(names string, until int) descent.Proof {
		p := descent.Proof{Committed: map[warehouse.Location]bool{}}
		for _, l := range all(names) {
			p.Committed[l] = true
		}
		if until > 0 {
			p.Until = start.Add(time.Duration(until) * time.Hour)
		}
		return p
	}
	expect(t, sidecar(), "S", proof("S", 0), "S proven")
	expect(t, sidecar(), "S B1:S B2:S", proof("S B2", 0), "B2 +1 proven", "not used: B1")
	expect(t, sidecar(), "S B1:S B2:S C2:B2", proof("S B2", 0), "C2 +2")
	expect(t, sidecar(), "S B1:S B2:S C2:B2 D2:B2", proof("S B2", 0), "B2 +1 proven !", "C2, D2")
	expect(t, sidecar(), "S B1:S B2:S", proof("S B1 B2", 0), "S proven !", "more than one end")
	expect(t, sidecar(), "S B:S D:C", proof("S D", 0), "D +2 proven")
	expect(t, sidecar(), "S X:S", proof("S", 9), "S proven", "not used: X: it was never committed")
	expect(t, sidecar(), "S X:S Y:X", proof("S", 2), "S proven", "not used: Y: it comes from a file that was never committed")
	expect(t, sidecar(), "S X:S", proof("S", 1), "X +1")
	expect(t, sidecar(), "S X:S Y:X Z:Y", proof("S Y", 9), "Y +2 proven", "not used: Z: it was never committed") // Y was registered over S
	o := sidecar()
	o.Unconfirmed = all("U")
	expect(t, o, "S U:S", proof("S U", 0), "U +1 proven")
	o.Abandoned = all("B")
	expect(t, o, "S B:S C:B", proof("S B C", 0), "S proven")
}

func TestUnseenFiles(t *testing.T) {
	o := sidecar()
	o.Unseen = "X could not be read"
	expect(t, o, "S B:S", descent.Proof{}, "S !", "X could not be read")
}

func TestNewest(t *testing.T) {
	for files, want := range map[string]string{"A": "A", "C:B B:A A": "C", "A B:A X:A": "X", "B:A,B A": "B", "A B": "B"} {
		if got := descent.Newest(folder(files)).Spelled; got != want {
			t.Errorf("%s: %s, want %s", files, got, want)
		}
	}
}
