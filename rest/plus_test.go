package rest

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

const (
	java19  = "X-Client-Version: Apache Iceberg 1.9.1 (commit f40208a)"
	java112 = "X-Client-Version: Apache Iceberg 1.12.0 (commit abc)"
	golang  = "X-Client-Version: 0.14.1"
)

func TestHabitOf(t *testing.T) {
	for version, want := range map[string]habit{
		"":                                            habitUnknown,
		"Apache Iceberg 1.9.1 (commit f40208a)":       habitForm,
		"Apache Iceberg 1.11.0 (commit x)":            habitForm,
		"Apache Iceberg 0.14.0":                       habitForm,
		"Apache Iceberg 1.12.0 (commit x)":            habitPath,
		"Apache Iceberg 2.0.0 (commit x)":             habitPath,
		"Apache Iceberg unspecified (commit unknown)": habitUnknown,
		"0.14.1":           habitPath,
		"PyIceberg/0.12.0": habitPath,
		"Something that mentions Apache Iceberg 1.9 only": habitPath,
	} {
		if got := habitOf(http.Header{"X-Client-Version": {version}}); got != want {
			t.Errorf("%q: habit %d, want %d", version, got, want)
		}
	}
}

// Case 80, interface §5.2: all that can exist, for all who can ask.
func TestCase80_ReadPlus(t *testing.T) {
	for _, c := range []struct {
		plus, space bool
		habit       habit
		writes      bool
		want        plus
		found       bool
		refused     bool
	}{
		{plus: true, habit: habitForm, want: plusIsPlus, found: true},
		{plus: true, habit: habitUnknown, writes: true, want: plusIsPlus, found: true},
		{space: true, habit: habitPath, want: plusIsSpace, found: true},
		{space: true, habit: habitUnknown, writes: true, want: plusIsSpace, found: true},
		{habit: habitPath, want: plusIsSpace},
		{plus: true, space: true, habit: habitForm, want: plusIsSpace, found: true},
		{plus: true, space: true, habit: habitForm, writes: true, want: plusIsSpace, found: true},
		{plus: true, space: true, habit: habitPath, want: plusIsPlus, found: true},
		{plus: true, space: true, habit: habitPath, writes: true, want: plusIsPlus, found: true},
		{plus: true, space: true, habit: habitUnknown, want: plusIsPlus, found: true},
		{plus: true, space: true, habit: habitUnknown, writes: true, found: true, refused: true},
	} {
		exists := func(as plus) (bool, error) { return map[plus]bool{plusIsPlus: c.plus, plusIsSpace: c.space}[as], nil }
		got, found, err := readPlus(c.habit, c.writes, exists)
		if (err != nil) != c.refused || found != c.found || err == nil && got != c.want {
			t.Errorf("%+v: %d, %v, %v", c, got, found, err)
		}
	}
	broken := errors.New("broken")
	for _, at := range []plus{plusIsPlus, plusIsSpace} {
		_, _, err := readPlus(habitPath, false, func(as plus) (bool, error) {
			if as == at {
				return true, broken
			}
			return true, nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("an error of looking was swallowed: %v", err)
		}
	}
}

// Case 80 through the routes: two tables and two namespaces that a raw plus
// could mean.
func TestCase80_SpacesAndPluses(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.ns("a b")
	f.ns("a+b")
	uuids := map[string]string{}
	for _, name := range []string{"a b", "a+b", "only b", "just+b"} {
		uuids[name] = tableUUID(t, f.table("n", name))
	}
	for _, c := range []struct{ segment, client, want string }{
		{"a%20b", java19, "a b"},
		{"a%2Bb", java19, "a+b"},
		{"a+b", java19, "a b"},
		{"a+b", java112, "a+b"},
		{"a+b", golang, "a+b"},
		{"a+b", "", "a+b"},
		{"only+b", golang, "only b"},
		{"only+b", java19, "only b"},
		{"just+b", java19, "just+b"},
		{"just+b", "", "just+b"},
	} {
		a := f.must(200, f.do("GET", v1+"/namespaces/n/tables/"+c.segment, "", header(c.client)...))
		if got := tableUUID(t, a); got != uuids[c.want] {
			t.Errorf("%s by %q is not %q", c.segment, c.client, c.want)
		}
		f.must(204, f.do("HEAD", v1+"/namespaces/n/tables/"+c.segment, "", header(c.client)...))
	}
	f.fails(f.do("DELETE", v1+"/namespaces/n/tables/a+b", ""), 400, "BadRequestException")
	f.fails(f.do("DELETE", v1+"/namespaces/a+b", ""), 400, "BadRequestException")
	f.must(204, f.do("DELETE", v1+"/namespaces/a+b", "", java19))
	f.must(404, f.do("HEAD", v1+"/namespaces/a%20b", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/a+b", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/a+b", "", java19))
	f.must(404, f.do("HEAD", v1+"/namespaces/n/tables/a%20b", ""))
	f.must(204, f.do("HEAD", v1+"/namespaces/n/tables/a%2Bb", ""))
}

// Case 80: a create by commit names what does not exist yet, so that only the
// client's habit can tell.
func TestCase80_CreateByCommit(t *testing.T) {
	for _, c := range []struct{ client, made string }{{java19, "x y"}, {golang, "x+y"}, {"", ""}} {
		f := serve(t, nil)
		f.ns("n m")
		a := f.do("POST", v1+"/namespaces/n+m/tables/x+y", createCommit(t, f, "n%20m", "z"), header(c.client)...)
		if c.made == "" {
			f.fails(a, 400, "BadRequestException")
			continue
		}
		if c.client == golang { // who writes a plus bare means it in the namespace too
			f.fails(a, 404, "NoSuchNamespaceException")
			a = f.do("POST", v1+"/namespaces/n%20m/tables/x+y", createCommit(t, f, "n%20m", "z"), golang)
		}
		f.must(200, a)
		if got := f.tableNames("n%20m"); fmt.Sprint(got) != fmt.Sprint([]string{c.made}) {
			t.Errorf("%q made %q", c.client, got)
		}
	}
}

func header(h string) []string {
	if h == "" {
		return nil
	}
	return []string{h}
}
