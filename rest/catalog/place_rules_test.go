package catalog_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"puddle/rest/catalog"
)

// elsewhere are locations that nothing may have, by what is said of them.
func elsewhere(url string) map[string]string {
	bad := map[string]string{
		url + "-2/x": "outside", url + "2": "outside", "x": "absolute", "gs://lake/wh/x": "scheme", "http://lake/wh/x": "scheme", "x" + url + "/x": "scheme",
		url: "root", url + "/": "root", url[:strings.LastIndex(url, "/")]: "root", // case 141: the parent of all
		url + "/_puddle": "reserved", url + "/_puddle/x": "reserved", url + "/_PUDDLE": "reserved", url + "/%5fpuddle/x": "reserved", url + "/_puddle%2fx": "reserved",
		url + "/nest/a/inner/_puddle": "reserved", url + "/a/_PUDDLE/x": "reserved", url + "/a/b/%5fpuddle/x": "reserved", url + "/a%2f_puddle/x": "reserved",
		url + "//_puddle/x": "empty segment", url + "//x": "empty segment", url + "/x/../_puddle": "dot segment",
		url + "/a/../b": "dot segment", url + "/./a": "dot segment", url + "/..": "dot segment", url + "/../etc": "dot segment", url + "/a/.": "dot segment", // case 138
		url + "/a\x00b": "control", url + "/a\nb": "control", url + "/a\\b": "backslash", url + "/" + strings.Repeat("x", 2048): "2048", url + "/" + strings.Repeat("x", 1025): "1024",
		url + "/.puddle-tmp-x/t": ".puddle-tmp-",
		// What clients take them for that end a path at "?" or "#" is refused as well.
		url + "/#x": "root", url + "/?x/t": "root", url + "/_puddle#/t": "reserved", url + "/_PUDDLE?x": "reserved", url + "/a#/../b": "dot segment",
	}
	if folder, ok := strings.CutPrefix(url, "file://"); ok {
		for spelling, rule := range map[string]string{
			"file:" + folder: "root", folder: "root", "FILE://" + folder + "/_puddle": "reserved", "file:" + folder + "/_puddle": "reserved", folder + "/a/../b": "dot segment",
			"file://localhost" + folder + "/x": "host", "file:/" + url + "/x": "empty segment", "file:/" + folder + "/x": "host", "file://" + "/" + folder + "/x": "empty segment",
			"filex://" + folder + "/x": "scheme", "files:" + folder + "/x": "scheme", "file:x": "absolute", "/etc": "outside", "s3://" + folder[1:] + "/x": "outside",
			url + "/%2e%2e/b": "encoded dot segment", url + "/a/..%2fb": "encoded dot segment", url + "/.%2E": "encoded dot segment",
			url + "/link": "link", url + "/link/t": "link", url + "/loop/t": "link", url + "/dangling": "link", url + "/link#x": "link", url + "/link?/t": "link", // ADR 8
			url + "/file": "exists", url + "/file/t": "exists", url + "/" + strings.Repeat("x", 256): "name too long",
		} {
			bad[spelling] = rule
		}
		return bad
	}
	for _, spelling := range []string{"s3x://lake/wh/x", "s3", "s3:lake/wh/x", "s3:/lake/wh/x", "s3a:///wh/x", "s4://lake/wh/x"} {
		bad[spelling] = ""
	}
	for _, spelling := range []string{"s3://foreign/x", "s3://lake/x", "s3a://Lake/wh/x", "/lake/wh/x", "file:///lake/wh/x", "s3n://lake/WH/x", "s3://lake/wh?/x", "s3://lake/wh#x"} {
		bad[spelling] = "outside"
	}
	return bad
}

// obstruct puts links and a file below a local warehouse.
func obstruct(t *testing.T, g *ground) {
	t.Helper()
	root, local := strings.CutPrefix(g.url, "file://")
	if !local {
		return
	}
	must(t, os.Symlink(t.TempDir(), root+"/link"))
	must(t, os.Symlink(root, root+"/loop"))
	must(t, os.Symlink(root+"/nowhere", root+"/dangling"))
	must(t, os.WriteFile(root+"/file", nil, 0o600))
}

// Each role of a location, on each route, with each location that is refused: the
// refusal names role, location and rule, and nothing was written, there or
// anywhere.
func TestCase133_138_141_EveryLocationOnEveryRoute(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		obstruct(t, g)
		p := running(t, g)
		p.namespace(t, nil, "n")
		routes, namespaces := crossings(t, p), namespaceCrossings(p)
		events := len(auditTables(t, g))
		for location, rule := range elsewhere(g.url) {
			spelled := strings.TrimSuffix(strconv.Quote(trimmed(location)), `"`)
			for _, route := range routes {
				for _, role := range roles {
					t.Run(route.name+" "+role, func(t *testing.T) {
						refused(t, route.try(role, location), catalog.Invalid, role+" "+spelled, "is refused", rule)
					})
				}
			}
			for _, route := range namespaces {
				refused(t, route.try("", location), catalog.Invalid, "location "+spelled, "is refused", rule)
			}
		}
		for _, route := range routes {
			for _, role := range roles {
				refused(t, route.try(role, "/"), catalog.Invalid)
				refused(t, route.try(role, "file:///"), catalog.Invalid)
				if role != "location" { // which is chosen then
					refused(t, route.try(role, ""), catalog.Invalid, role)
				}
			}
		}
		if len(auditTables(t, g)) != events {
			t.Error("a refusal was recorded")
		}
	})
}

// trimmed is a location as creates keep it.
func trimmed(location string) string {
	if len(location) > 1 {
		return strings.TrimRight(location, "/")
	}
	return location
}

// Places of others: the same, above and below, by each role on each route, also
// where only clients that end a path at "?" or "#" would be sent there (ADR 8).
// Nothing is written where another object is.
func TestCase130_133_PlacesOfOthersOnEveryRoute(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		routes := crossings(t, p)
		taken := read(t, p.table(t, "taken", g.url+"/in/a", "write.data.path", g.url+"/data/a").Metadata).UUID
		p.table(t, "cut", g.url+"/cut#x", "write.data.path", g.url+"/data/cut?x/y")
		p.view(t, "view", g.url+"/view")
		events := len(auditTables(t, g))
		for _, place := range []string{
			"/in/a", "/in/a/", "/in", "/in/a/b", "/in/a/metadata", "/data/a", "/data/a/b", "/data", "/view", "/view/metadata/x",
			"/in/a#b", "/in/a?b/c", "/in#", "/data/a/b#c", "/cut#x", "/cut", "/cut/below", "/cut?y", "/cut#y", "/cut#x/below", "/data/cut", "/data/cut?x", "/data/cut#",
		} {
			for _, route := range routes {
				for _, role := range roles {
					t.Run(route.name+" "+role+" "+place, func(t *testing.T) {
						refused(t, route.try(role, g.url+place), catalog.AlreadyExists, role+` "`+g.url+trimmed(place), "overlaps")
					})
				}
			}
		}
		refused(t, routes[0].try("location", g.url+"/in/a"), catalog.AlreadyExists, taken)
		if len(auditTables(t, g)) != events {
			t.Error("a refusal was recorded")
		}
	})
}

// A namespace's location may hold objects, and no "?" or "#": to some clients all
// tables below it would be one.
func TestNamespaceLocationRules(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", p.ground.url+"/shared/t")
	for _, route := range namespaceCrossings(p) {
		must(t, route.try("", p.ground.url+"/shared"))
		for _, location := range []string{"/a#b", "/a?b", "/a?/b"} {
			refused(t, route.try("", p.ground.url+location), catalog.Invalid, `location "`+p.ground.url+location+`" is refused`, `"#"`)
		}
	}
}
