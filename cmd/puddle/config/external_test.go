package config

import (
	"strings"
	"testing"
	"time"
)

func TestExternals(t *testing.T) {
	c, err := parse("c", []byte(`
warehouses: {w: {location: /w}}
external-warehouses:
  old: {location: 's3a://old-lake/', s3: {region: eu-north-1, endpoint: 'http://h:1', path-style-access: true,
    access-key-id: $KEY, secret-access-key: "${SECRET}", revalidate: 5m, vended-credentials: {enabled: true, role-arn: "arn:aws:iam::1:role/r"}}}
  mount: {location: 'file:/mnt/old'}
`), environment("KEY", "k", "SECRET", "s"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Externals) != 2 || c.Externals[0].Name != "old" || c.Externals[1].Name != "mount" {
		t.Fatalf("externals are %+v", c.Externals)
	}
	old, mount := c.Externals[0], c.Externals[1]
	want := Service{Region: "eu-north-1", Endpoint: "http://h:1", PathStyle: true, AccessKeyID: "k", SecretAccessKey: "s"}
	if old.Root.URL != "s3a://old-lake/" || old.S3.Service != want || old.S3.Revalidate != 5*time.Minute || !old.S3.Vended.Enabled {
		t.Errorf("the one in a bucket is %+v", old)
	}
	if !mount.Root.IsFolder() || mount.S3 != newS3() {
		t.Errorf("the folder is %+v", mount)
	}
}

func TestExternalsThatCannotBe(t *testing.T) {
	for file, want := range map[string]string{
		"a: {}":                      "external-warehouses.a.location: is missing",
		"A: {location: /x}":          "external-warehouses.A: a warehouse's name is",
		"w: {location: /x}":          "external-warehouses.w: a warehouse has this name",
		"a: {location: /x, name: b}": "external-warehouses.a.name: unknown key",
		"a: {location: /x, allowed-locations: []}":  "external-warehouses.a.allowed-locations: unknown key",
		"a: {location: /w}":                         "external-warehouses.a.location: /w and file:/w of warehouse w are the same or nest",
		"a: {location: /w/x}":                       "are the same or nest",
		"a: {location: /}":                          "is the root folder",
		"a: {location: /m}":                         "external-warehouses.a.location: /m and /m/in of warehouse w are the same or nest",
		"a: {location: 's3n://b/'}":                 "external-warehouses.a.location: s3n://b/ and s3://b/wh of warehouse w are the same or nest",
		"a: {location: 's3://b/wh/old'}":            "are the same or nest",
		"a: {location: /x}, b: {location: /x/y}":    "external-warehouses.b.location: /x/y and /x of external warehouse a are the same or nest",
		"a: {location: /x/_Puddle/y}":               "is in a folder _puddle, which is reserved",
		"a: {location: 's3://c/%5fpuddle'}":         "is in a folder _puddle, which is reserved",
		"a: {location: '/x?y'}":                     `no root holds "?" or "#"`,
		"a: {location: /d}":                         "c:1: data-dir: /d/data lies in the external warehouse a",
		"a: {location: /x, s3: {access-key-id: k}}": "external-warehouses.a.s3: access-key-id and secret-access-key come together",
	} {
		text := "data-dir: /d/data\nwarehouses: {w: {location: 'file:/w', allowed-locations: [/m/in, 's3://b/wh']}}\nexternal-warehouses: {" + file + "}\n"
		if _, err := parse("c", []byte(text), environment()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", file, err)
		}
	}
	beside := "warehouses: {w: {location: /w/a}}\nexternal-warehouses: {a: {location: /w/ab}, b: {location: /w/abc}, c: {location: 's3://www/a', s3: {region: r}}}\n"
	if _, err := parse("c", []byte(beside), environment()); err != nil {
		t.Errorf("whole segments count (case 130): %v", err)
	}
}
