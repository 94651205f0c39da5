package purge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"puddle/internal/warehouse/dir"
	"puddle/journal"
)

// spots are the places of metadata where a client can write any location.
var spots = map[string]func(t *table, locations ...string){
	"data file": func(t *table, locations ...string) {
		t.manifests[t.manifest] = append(t.manifests[t.manifest], locations...)
	},
	"manifest": func(t *table, locations ...string) {
		t.lists[t.list] = append(t.lists[t.list], locations...)
	},
	"manifest list": func(t *table, locations ...string) {
		for _, l := range locations {
			t.snapshots = append(t.snapshots, []string{l})
		}
	},
	"inline manifest": func(t *table, locations ...string) {
		t.version, t.inline = 1, append(t.inline, locations...)
	},
	"statistics":           func(t *table, locations ...string) { t.statistics = append(t.statistics, locations...) },
	"partition statistics": func(t *table, locations ...string) { t.partitions = append(t.partitions, locations...) },
	"metadata log":         func(t *table, locations ...string) { t.log = append(t.log, locations...) },
}

// foreign are files that no table has, and names that are none.
func foreign() (files, names []string) {
	files = []string{
		root + "/stray.parquet", root + "/a2/data/x", root + "/a-1/data/x", root + "/a%20b/x", root + "/A/data/d0.parquet",
		root + "/_puddle/warehouse.json", root + "/_PUDDLE/head.json",
		root + "/a/_puddle/warehouse.json", root + "/a/data/_Puddle/x",
	}
	names = []string{
		root, root + "/", root + "/a", root + "/a/", "s3://lake", "s3://lake/", "/", ".", "..",
		root + "/a/../ab/data/d0.parquet", root + "/a/./data/d0.parquet", root + "/a/..", root + "//ab/data/d0.parquet", root + "/a//data/d0.parquet",
		"s3a://lake/wh/ab/data/d0.parquet", "S3N://lake/wh/ab/data/d0.parquet", "s3://lake/wh/ab/data/d0.parquet/",
		"s3://lake/wh2/x", "s3://other/wh/a/data/d0.parquet", "file:///etc/passwd", "/wh/a/data/d0.parquet", "lake/wh/a/data/d0.parquet",
		"gs://lake/wh/a/data/d0.parquet", "https://lake/wh/a/data/d0.parquet",
		root + "/a/data/\x00", root + "/a\\data", "s3://key:secret@lake/wh/a/data/d0.parquet", "plain words", root + "/a/" + strings.Repeat("x", 3000),
	}
	return files, append(slices.Clone(files), names...)
}

// Whatever a client writes into a manifest, a list, a log or statistics: no file of
// another is gone, and the report names it (cases 130, 133, 135, 138, 141).
func TestCase135_MetadataThatNamesOthersFiles(t *testing.T) {
	for spot, write := range spots {
		t.Run(spot, func(t *testing.T) {
			w := fresh(t)
			dead, twin, nested := plain("dead", root+"/a"), plain("twin", root+"/ab"), plain("nested", root+"/a/data/nested")
			files, names := foreign()
			for _, f := range files {
				w.put(t, f, nil)
			}
			names = append(names, slices.Concat(twin.names(), nested.names())...)
			write(dead, names...)
			w.create(t, twin)
			w.dropped(t, dead)
			w.create(t, nested)
			report := w.purged(t)
			w.wantLeft(t, slices.Concat(twin.names(), nested.names(), files)...)
			if report.Removed != int64(len(dead.own)) || report.Failed != 0 || report.Kept < int64(len(names)-9) {
				t.Errorf("report %+v, want %d removed and about %d kept", report.Counts, len(dead.own), len(names))
			}
			said := reasons(report)
			for _, name := range names {
				name = journal.NewPurgeFinding(name, "").Location
				if said[name] == "" && !spelledOtherwise(said, name) {
					t.Errorf("the report does not name %q", name)
				}
			}
		})
	}
}

// spelledOtherwise tells whether another spelling of a location was told.
func spelledOtherwise(said map[string]string, name string) bool {
	for _, scheme := range []string{"s3://", "s3a://", "S3N://"} {
		_, rest, _ := strings.Cut(name, "://")
		for _, end := range []string{"", "/"} {
			if said[scheme+strings.TrimSuffix(rest, "/")+end] != "" {
				return true
			}
		}
	}
	return false
}

// A file that the table owns goes in whatever spelling it is named (cases 25, 27).
func TestCase25_27_SpellingsArePurged(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	for i, spelling := range []string{"s3a://lake/wh/a/data/x%d", "S3n://lake/wh/a/data/x%d", "s3://lake/wh/a/data/x%d/", "s3://lake/wh/a/data/../data/x%d"} {
		spots["data file"](dead, fmt.Sprintf(spelling, i))
		w.put(t, fmt.Sprintf(root+"/a/data/x%d", i), nil)
	}
	spots["data file"](dead, root+"/a/data/y?versionId=1#z", root+"/a/data/%7A")
	for _, location := range []string{"y", "y?versionId=1", "y?versionId=1#z", "z", "%7A"} {
		w.put(t, root+"/a/data/"+location, nil)
	}
	w.dropped(t, dead)
	report := w.purged(t)
	w.wantLeft(t, root+"/a/data/x3", root+"/a/data/y", root+"/a/data/y?versionId=1", root+"/a/data/z")
	if report.Kept != 1 {
		t.Errorf("report %+v", report)
	}
}

// A table that has places of its own beside its location loses what is in them,
// and only there.
func TestPlacesBesideTheLocation(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	dead.places = []string{root + "/data/of/a"}
	mine, other := root+"/data/of/a/1.parquet", root+"/data/of/ab/1.parquet"
	spots["data file"](dead, mine, other)
	w.put(t, mine, nil)
	w.put(t, other, nil)
	w.dropped(t, dead)
	w.purged(t)
	w.wantLeft(t, other)
}

// onDisk is a world whose files are in a folder, with links in it.
func onDisk(t *testing.T) (w *world, folder string) {
	t.Helper()
	folder = t.TempDir()
	files, err := dir.Open(folder)
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	w = newWorld(t)
	t.Cleanup(func() { w.stop(t) })
	w.files, w.url = files, "file://"+folder
	return w, folder
}

// Links are neither followed nor deleted, nor is what they point at.
func TestCase135_LinksAreKept(t *testing.T) {
	w, folder := onDisk(t)
	dead, twin := plain("dead", w.url+"/a"), plain("twin", w.url+"/ab")
	outside := filepath.Join(t.TempDir(), "precious")
	must(t, os.WriteFile(outside, nil, 0o600))
	w.create(t, twin)
	named := []string{"a/data/to-file", "a/data/to-folder/data/d0.parquet", "a/data/to-outside", "a/data/to-nowhere", "a/link/metadata/m1.avro", "a/data/folder"}
	for _, name := range named {
		spots["data file"](dead, w.url+"/"+name)
		spots["metadata log"](dead, "file:"+folder+"/"+name)
		spots["manifest"](dead, folder+"/"+name)
	}
	w.dropped(t, dead)
	for link, to := range map[string]string{
		"a/data/to-file": "../../ab/data/d0.parquet", "a/data/to-folder": "../../ab", "a/data/to-outside": outside,
		"a/data/to-nowhere": "nothing", "a/link": filepath.Join(folder, "ab"),
	} {
		must(t, os.Symlink(to, filepath.Join(folder, link)))
	}
	must(t, os.Mkdir(filepath.Join(folder, "a/data/folder"), 0o700))
	report := w.purged(t)
	w.wantLeft(t, twin.names()...)
	for _, link := range []string{"a/data/to-file", "a/data/to-folder", "a/data/to-outside", "a/data/to-nowhere", "a/link", "a/data/folder"} {
		if _, err := os.Lstat(filepath.Join(folder, link)); err != nil {
			t.Errorf("%s: %v", link, err)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	for _, name := range named[:5] {
		if said := reasons(report)[w.url+"/"+name]; said != "a symbolic link is on the way to it" {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// A manifest or list that is torn, foreign, encrypted or too deep in another's
// place leads nowhere and stays; the rest goes.
func TestUnreadableManifests(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	at := func(name string) string { return root + "/a/metadata/" + name }
	torn := manifestOf(t, root+"/a/data/t1.parquet", root+"/a/data/t2.parquet")
	broken := map[string][]byte{
		"torn.avro": torn[:len(torn)-7], "empty.avro": nil, "text.avro": []byte("hello"), "secret.avro": []byte("AGS1xxxxxxxxxxxx"),
		"list.avro": listOf(t, root+"/a/data/l.parquet"),
	}
	var stay []string
	for name, data := range broken {
		w.put(t, at(name), data)
		stay = append(stay, at(name))
	}
	spots["manifest"](dead, append(slices.Clone(stay), at("missing.avro"))...)
	spots["manifest list"](dead, at("list-text.avro"), at("list-missing.avro"))
	w.store(t, dead)
	for name, data := range broken {
		w.put(t, at(name), data)
	}
	w.put(t, at("list-text.avro"), []byte("hello"))
	w.put(t, root+"/a/data/l.parquet", nil)
	w.purgeStored(t, dead)
	report := w.purged(t)
	w.wantLeft(t, append(stay, at("list-text.avro"), root+"/a/data/l.parquet")...)
	said := reasons(report)
	for _, location := range append(stay, at("list-text.avro")) {
		if !strings.HasSuffix(said[location], "what was not read of it stays, and so does it") {
			t.Errorf("%s: %q", location, said[location])
		}
	}
	if report.Kept != int64(len(stay)+1) || !strings.HasPrefix(said[at("missing.avro")]+said[at("list-missing.avro")], "2 manifests and manifest lists were gone") {
		t.Errorf("report %+v", report)
	}
}
