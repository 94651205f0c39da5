package config

import (
	"strings"
	"testing"
)

// bucketed is a configuration of a warehouse at a location, with keys of its block s3.
func bucketed(location, keys string) string {
	return "warehouses:\n  a:\n    location: '" + location + "'\n    s3: {" + keys + "}\n"
}

func TestObjectStoresThatCannotBe(t *testing.T) {
	const name = ": a bucket's name is 3 to 63 of a-z, 0-9, dot and hyphen"
	for file, want := range map[string]string{
		bucketed("s3://lake/wh", ""):                                                    "c:4: warehouses.a.s3.region: is missing, and so is AWS_REGION in the environment",
		"warehouses: {a: {location: 's3://lake'}}\n":                                    "c:1: warehouses.a.s3.region: is missing",
		bucketed("/w", "region: r"):                                                     "c:4: warehouses.a.s3: has no use: no location here is in an object store",
		bucketed("/w", "vended-credentials: {enabled: true}"):                           "c:4: warehouses.a.s3: has no use",
		bucketed("s3://ab/wh", "region: r"):                                             "c:4: warehouses.a.s3: s3://ab/wh" + name,
		bucketed("s3://Lake/wh", "region: r"):                                           "s3://Lake/wh" + name,
		bucketed("s3://lake-/wh", "region: r"):                                          "s3://lake-/wh" + name,
		bucketed("s3://la_ke", "region: r"):                                             "s3://la_ke" + name,
		bucketed("s3://-lake", "region: r, path-style-access: true"):                    "s3://-lake" + name,
		bucketed("s3://lake/wh", "region: r, endpoint: 's3.example.org'"):               "c:4: warehouses.a.s3.endpoint: must be a URL like https://s3.example.org",
		bucketed("s3://lake/wh", "region: r, endpoint: 'https://k:s3cret@example.org'"): "c:4: warehouses.a.s3.endpoint: must be a URL",
		bucketed("s3://lake/wh", "region: r, endpoint: 'https://lake.s3.example.org'"):  "names the bucket lake, as the location does: leave it out here",
		bucketed("s3://lake/wh", "region: r, endpoint: 'https://s3.example.org/lake/'"): "names the bucket lake, as the location does: leave it out here",
		bucketed("s3://lake/wh", "region: r, access-key-id: s3cret"):                    "c:4: warehouses.a.s3: access-key-id and secret-access-key come together, or neither does",
		bucketed("s3://lake/wh", "region: r, secret-access-key: s3cret"):                "c:4: warehouses.a.s3: access-key-id and secret-access-key come together, or neither does",
		bucketed("s3://lake/wh", "region: r, revalidate: s"):                            "c:4: warehouses.a.s3.revalidate: must be a duration like 0s",
		bucketed("s3://lake/wh", "region: r, bucket: lake"):                             "c:4: warehouses.a.s3.bucket: unknown key",
		"external-warehouses: {old: {location: 's3://old-lake'}}\n":                     "c:1: external-warehouses.old.s3.region: is missing",
		"external-warehouses: {old: {location: /old, s3: {region: r}}}\n":               "c:1: external-warehouses.old.s3: has no use",
	} {
		_, err := parse("c", []byte(file), environment())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error is %v", file, err)
		}
	}
}

// What users of other clients of S3 write is taken.
func TestObjectStores(t *testing.T) {
	for _, file := range []string{
		bucketed("s3://lake", "region: eu-north-1"),
		bucketed("s3a://lake.example.org/wh/", "region: eu-north-1, access-key-id: k, secret-access-key: s"),
		bucketed("s3n://Old_Lake/wh", "region: us-east-1, path-style-access: true"),
		bucketed("s3://lake/wh", "region: us-east-1, endpoint: 'http://minio:9000/', path-style-access: true, revalidate: 0s"),
		bucketed("s3://lake/wh", "region: us-east-1, endpoint: 'https://lakes.example.org/rgw'"),
		"warehouses: {a: {location: /w, allowed-locations: ['s3://lake/more'], s3: {region: r}}}\n",
		"warehouses: {a: {location: /w, s3: {}}}\n",
	} {
		if _, err := parse("c", []byte(file), environment()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The region may be in the environment, as it is for other programs of a machine; a store
// that is not AWS's needs none.
func TestRegionOfTheEnvironment(t *testing.T) {
	for want, env := range map[string][]string{
		"us-east-1":  nil,
		"eu-north-1": {"AWS_REGION", "eu-north-1", "AWS_DEFAULT_REGION", "eu-west-1"},
		"eu-west-1":  {"AWS_DEFAULT_REGION", "eu-west-1"},
	} {
		c, err := parse("c", []byte("warehouses: {a: {location: 's3://lake', s3: {endpoint: 'http://minio:9000'}}, b: {location: /w}, c: {location: 's3://other', s3: {region: own}}}\n"+
			"external-warehouses: {old: {location: 's3://old-lake', s3: {endpoint: 'http://minio:9000'}}}\n"), environment(env...))
		if err != nil {
			t.Fatal(err)
		}
		w := c.Warehouses
		if w[0].S3.Service.Region != want || w[1].S3 != newS3() || w[2].S3.Service.Region != "own" || c.Externals[0].S3.Service.Region != want {
			t.Errorf("%s: %+v", want, c)
		}
	}
}

func TestExposedObjectStores(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"": false, "https://s3.example.org": false, "http://127.0.0.1:9000": false, "http://localhost:9000": false, "http://[::1]:9000": false,
		"http://minio:9000": true, "http://10.0.0.1": true,
	} {
		if got := (S3{Service: Service{Endpoint: endpoint}}).Exposed(); (len(got) == 1 && got[0] == endpoint) != want {
			t.Errorf("%s: %q", endpoint, got)
		}
		apart := S3{Service: Service{Endpoint: "https://store"}, Vended: Vended{Endpoint: endpoint}}
		if got := apart.Exposed(); len(got) != 0 {
			t.Errorf("STS that nobody asks: %q", got)
		}
		apart.Vended.Enabled = true
		if got := apart.Exposed(); (len(got) == 1 && got[0] == endpoint) != want {
			t.Errorf("STS %s: %q", endpoint, got)
		}
		apart.Service.Endpoint = endpoint
		if got := apart.Exposed(); len(got) > 1 {
			t.Errorf("%q", got)
		}
	}
}

// Two warehouses share no storage, however it is spelled and reached: a location is one
// place.
func TestNestingInBuckets(t *testing.T) {
	for _, test := range []struct {
		a, b string
		fine bool
	}{
		{"s3://lake/a", "s3://lake/ab", true},
		{"s3://lake/a", "s3://pond/a", true},
		{"s3://lake/a", "s3://lake/a", false},
		{"s3://lake/a", "s3a://lake/a/", false},
		{"s3://lake/a", "S3N://lake/a/b", false},
		{"s3://lake", "s3://lake/b", false},
		{"s3://lake/a/b", "s3://lake/a", false},
	} {
		file := "warehouses:\n  a: {location: '" + test.a + "', s3: {region: r, endpoint: 'https://one.example.org'}}\n" +
			"  b: {location: '" + test.b + "', s3: {region: r, endpoint: 'https://two.example.org'}}\n"
		_, err := parse("c", []byte(file), environment())
		if (err == nil) != test.fine || err != nil && !strings.Contains(err.Error(), "c:3: warehouses.b.") {
			t.Errorf("%s beside %s: error is %v", test.a, test.b, err)
		}
	}
}
