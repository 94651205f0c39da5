package metadata_test

import (
	"testing"

	"puddle/rest/metadata"
)

// keeping is a view that keeps a number of versions, replaced up to version n.
func keeping(t testing.TB, entries string, n int) *metadata.View {
	t.Helper()
	v := mustView(t, newView(t), `{"action":"set-properties","updates":{"version.history.num-entries":"`+entries+`"}}`)
	for i := 2; i <= n; i++ {
		v = mustView(t, v, replacement(i))
	}
	return v
}

func expectHistory(t *testing.T, v *metadata.View, versions, log string) {
	t.Helper()
	if got := versionIDs(t, v, "versions"); got != versions {
		t.Errorf("versions are %s, want %s", got, versions)
	}
	if got := versionIDs(t, v, "version-log"); got != log {
		t.Errorf("the log says %s, want %s", got, log)
	}
}

func TestViewKeepsTenVersions(t *testing.T) {
	v := newView(t)
	for i := 2; i <= 12; i++ {
		v = mustView(t, v, replacement(i))
	}
	expectHistory(t, v, "3 4 5 6 7 8 9 10 11 12", "3 4 5 6 7 8 9 10 11 12")
}

// TestCase63_CurrentVersionIsNeverExpired: replaced twelve times and rolled back
// to version 2, then asked to keep one version.
func TestCase63_CurrentVersionIsNeverExpired(t *testing.T) {
	v := keeping(t, "20", 12)
	v = mustView(t, v, setVersion(2))
	expectView(t, v, map[string]string{"version-log/12": `{"timestamp-ms":1700000001000,"version-id":2}`})
	v = mustView(t, v, `{"action":"set-properties","updates":{"version.history.num-entries":"1"}}`)
	expectHistory(t, v, "2", "2")
	v = mustView(t, v, replacement(13))
	expectHistory(t, v, "3", "3")
}

// TestVersionsOfTheRequestAreKept beside the current one, whatever the property.
func TestVersionsOfTheRequestAreKept(t *testing.T) {
	v := keeping(t, "1", 1)
	add := func(n int) string {
		return `{"action":"add-view-version","view-version":` + viewVersion(n, 0, "SELECT "+itoa(n), "spark") + `}`
	}
	v = mustView(t, v, list(add(2), add(3)))
	expectHistory(t, v, "1 2 3", "1")
	v = mustView(t, v, `{"action":"set-properties","updates":{"a":"1"}}`)
	expectHistory(t, v, "1", "1")
	v = mustView(t, v, list(add(2), add(3), setVersion(2)))
	expectHistory(t, v, "2 3", "2")
}

// TestLogIsClearedBeforeGoneVersions: what comes after the last entry of a gone
// version stays.
func TestLogIsClearedBeforeGoneVersions(t *testing.T) {
	v := keeping(t, "3", 3)
	v = mustView(t, v, setVersion(1))
	v = mustView(t, v, setVersion(3))
	expectHistory(t, v, "1 2 3", "1 2 3 1 3")
	v = mustView(t, v, replacement(4))
	expectHistory(t, v, "2 3 4", "3 4")
}

// TestOneLogEntryABuild: only the version that is current in the end is logged;
// versions taken again are logged with the time of the request.
func TestOneLogEntryABuild(t *testing.T) {
	v := mustView(t, newView(t), list(replacement(2), replacement(3), setVersion(2)))
	expectHistory(t, v, "1 2 3", "1 2")
	expectView(t, v, map[string]string{"version-log/1/timestamp-ms": "1700000000002"})
	v = mustView(t, v, list(setVersion(3), `{"action":"set-properties","updates":{"a":"1"}}`, setVersion(2)))
	expectHistory(t, v, "1 2 3", "1 2")
	v = mustView(t, v, addVersion(viewVersion(9, 0, "SELECT 3", "spark")))
	expectHistory(t, v, "1 2 3", "1 2 3")
	expectView(t, v, map[string]string{"version-log/2/timestamp-ms": "1700000001000"})
}

// TestCase127_HistorySizeOfAFile that cannot be counts as not set.
func TestCase127_HistorySizeOfAFile(t *testing.T) {
	for _, size := range []string{"many", "0", "-3", "1.5"} {
		file := `{"view-uuid":"11111111-2222-4333-8444-555555555555","format-version":1,"location":"s3://b/v",` +
			`"properties":{"version.history.num-entries":"` + size + `"},"schemas":[` + viewColumns + `],"current-version-id":1,` +
			`"versions":[` + viewVersion(1, 7, "SELECT 1", "spark") + `],"version-log":[]}`
		v, err := metadata.ParseView([]byte(file), "s3://b/v/metadata/v3.metadata.json")
		if err != nil {
			t.Fatal(err)
		}
		v = mustView(t, v, addVersion(viewVersion(2, 7, "SELECT 2", "spark")))
		expectHistory(t, v, "1 2", "2")
		if want := "s3://b/v/metadata/00004-" + other.String() + ".metadata.json"; v.MetadataLocation() != want {
			t.Errorf("written to %s, want %s", v.MetadataLocation(), want)
		}
	}
}

// TestIDsRunOut: no id is given that readers cannot read.
func TestIDsRunOut(t *testing.T) {
	v, err := parseView(`"version-id":1`, `"version-id":2147483647`, `"current-version-id":1`, `"current-version-id":2147483647`,
		`"schema-id":7`, `"schema-id":2147483647`)
	if err != nil {
		t.Fatal(err)
	}
	for _, updates := range []string{addOther, addVersion(viewVersion(1, 2147483647, "SELECT 2", "spark"))} {
		_, err := tryView(v, updates)
		refuse(t, err, "invalid", "2147483647 is the highest")
	}
}

// TestCase23_ManyVersionsInOneCommit are all kept, and expire with the next.
func TestCase23_ManyVersionsInOneCommit(t *testing.T) {
	updates := make([]string, 0, 2000)
	for i := range 2000 {
		updates = append(updates, `{"action":"add-view-version","view-version":`+viewVersion(i, 0, "SELECT x"+itoa(i), "spark")+`}`)
	}
	v := mustView(t, newView(t), list(append(updates, setVersion(-1))...))
	expectView(t, v, map[string]string{"current-version-id": "2001", "versions/0/version-id": "2", "versions/1999/version-id": "2001"})
	v = mustView(t, v, replacement(1))
	expectHistory(t, v, "1993 1994 1995 1996 1997 1998 1999 2000 2001 2002", "2001 2002")
}
