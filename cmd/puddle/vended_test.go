package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/rs/zerolog"

	"puddle/internal/s3test"
	"puddle/projections/anchor"
)

// vending is a server whose object store enforces what its credentials may do.
type vending struct {
	*running
	store  *s3test.Server
	bucket string
	owner  *s3.Client
	log    *logged
}

// logged is a log that many write to.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

// Write implements io.Writer.
func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newVending starts one, with a namespace n.
func newVending(t *testing.T) *vending {
	t.Helper()
	v := &vending{store: s3test.Start(t, s3test.WithExternalID("one lake")), log: &logged{}}
	v.bucket = v.store.Bucket(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "puddle.yaml")
	text := fmt.Sprintf(`data-dir: %s/d
warehouses:
  default:
    location: s3://%s/wh
    s3: {region: %s, endpoint: %q, path-style-access: true, access-key-id: %q, secret-access-key: %q,
      vended-credentials: {enabled: true, role-arn: %q, duration-seconds: 900, external-id: one lake}}
`, dir, v.bucket, s3test.Region, v.store.Endpoint, v.store.AccessKeyID, v.store.SecretAccessKey, s3test.RoleARN)
	c := loadConfig(t, file, text)
	v.owner = v.client(map[string]string{"s3.access-key-id": v.store.AccessKeyID, "s3.secret-access-key": v.store.SecretAccessKey})
	v.running = startedWith(t, c, zerolog.New(v.log))
	v.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	return v
}

// client asks the object store as a client does with the keys that it was given.
func (v *vending) client(keys map[string]string) *s3.Client {
	return s3.New(s3.Options{
		Region: s3test.Region, BaseEndpoint: aws.String(v.store.Endpoint), UsePathStyle: true, Retryer: aws.NopRetryer{},
		Credentials: credentials.NewStaticCredentialsProvider(keys["s3.access-key-id"], keys["s3.secret-access-key"], keys["s3.session-token"]),
	})
}

// asked sends a request of who asks for credentials.
func (v *vending) asked(method, path, body string) (status int, text string) {
	v.t.Helper()
	return v.send(method, path, body, "X-Iceberg-Access-Delegation", "vended-credentials")
}

// keys are those of an answer.
func (v *vending) keys(method, path, body string) map[string]string {
	v.t.Helper()
	status, text := v.asked(method, path, body)
	var answer struct{ Config map[string]string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK || answer.Config["s3.session-token"] == "" {
		v.t.Fatalf("%s: %d %s %v", path, status, text, err)
	}
	return answer.Config
}

// at makes a table at a folder of the warehouse.
func (v *vending) at(folder, properties string) {
	v.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"location":"s3://%s/wh/%s","properties":%s,"schema":{"type":"struct","fields":[]}}`, folder, v.bucket, folder, properties)
	if status := v.post("/api/catalog/v1/namespaces/n/tables", body); status != http.StatusOK {
		v.t.Fatalf("create %s: status %d", folder, status)
	}
}

// does is what came of each thing that a client tries with an object and its folder:
// the words of what was refused.
func (v *vending) does(c *s3.Client, key string) string {
	v.t.Helper()
	ctx, bucket, folder := v.t.Context(), aws.String(v.bucket), aws.String(key[:strings.LastIndex(key, "/")+1])
	var refused []string
	try := func(what string, err error) {
		var answer smithy.APIError
		switch {
		case errors.As(err, &answer) && (answer.ErrorCode() == "AccessDenied" || answer.ErrorCode() == "Forbidden"):
			refused = append(refused, what)
		case err != nil:
			v.t.Errorf("%s %s: %v", what, key, err)
		}
	}
	put := func(c *s3.Client) error {
		_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader("data")})
		return err
	}
	if err := put(v.owner); err != nil {
		v.t.Fatal(err)
	}
	_, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: &key})
	try("get", err)
	try("put", put(c))
	_, err = c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: folder})
	try("list", err)
	upload, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: bucket, Key: &key})
	try("upload", err)
	if err == nil {
		_, err = c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: bucket, Key: &key, UploadId: upload.UploadId})
		try("abort", err)
	}
	_, err = c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: bucket, Key: aws.String(key + ".copy"), CopySource: aws.String(v.bucket + "/" + key)})
	try("copy", err)
	_, err = c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String(key + ".copy")})
	try("delete", err)
	return strings.Join(refused, " ")
}

// Case 150: the credentials of a table read and write its files, those of a reader only
// read, and everything else refuses both: other tables, one whose name begins alike, what
// is puddle's own, the warehouse and the bucket.
func TestCase150_CredentialsReachOneTable(t *testing.T) {
	v := newVending(t)
	v.at("A", "{}")
	v.at("A2", "{}")
	v.at("B", "{}")
	const all = "get put list upload copy delete"
	writer := v.client(v.keys(http.MethodGet, "namespaces/n/tables/A", ""))
	reader := v.client(v.keys(http.MethodGet, "default@5/namespaces/n/tables/A", ""))
	staged := v.client(v.keys(http.MethodPost, "namespaces/n/tables", fmt.Sprintf(
		`{"name":"S","stage-create":true,"location":"s3://%s/wh/S","schema":{"type":"struct","fields":[]}}`, v.bucket)))
	for _, c := range []struct {
		who     string
		client  *s3.Client
		key     string
		refused string
	}{
		{"writer", writer, "wh/A/data/x.parquet", ""},
		{"reader", reader, "wh/A/data/x.parquet", "put upload copy delete"},
		{"staged", staged, "wh/S/data/x.parquet", ""},
		{"writer", writer, "wh/A/wh/_puddle/x.json", "get put upload copy delete"},
		{"writer", writer, "wh/A/_puddle.d/x.json", ""},
		{"writer", writer, "wh/A2/data/x.parquet", all},
		{"writer", writer, "wh/A2", all},
		{"writer", writer, "wh/B/data/x.parquet", all},
		{"writer", writer, "wh/_puddle/x.json", all},
		{"writer", writer, "wh/x", all},
		{"writer", writer, "x", all},
		{"reader", reader, "wh/A2/data/x.parquet", all},
		{"reader", reader, "wh/_puddle/x.json", all},
		{"staged", staged, "wh/A/data/x.parquet", all},
		{"staged", staged, "wh/S2/x.parquet", all},
	} {
		if got := v.does(c.client, c.key); got != c.refused {
			t.Errorf("%s at %s: refused %q, want %q", c.who, c.key, got, c.refused)
		}
	}
	for _, one := range v.store.Assumed() {
		if one.ExternalID != "one lake" || one.Duration.Seconds() != 900 ||
			!strings.HasPrefix(one.SessionName, "anonymous@") && one.SessionName != "puddle@vended-credentials" {
			t.Errorf("%+v", one)
		}
	}
	v.wantNoSecret()
	v.stopped()
}

// wantNoSecret sees that no secret is in what others can see: log, events, metrics,
// status, and answers to who asks for none.
func (v *vending) wantNoSecret() {
	v.t.Helper()
	texts := map[string]string{"log": v.log.String()}
	for _, path := range []string{"/metrics", "/api/puddle/v1/warehouses/default/events", "/api/puddle/v1/status", "/api/catalog/v1/namespaces/n/tables/A", "/api/catalog/v1/config"} {
		_, texts[path] = v.read(path)
	}
	for where, text := range texts {
		for _, secret := range []string{"secret/of", "token/of", "ASIA", v.store.SecretAccessKey} {
			if strings.Contains(text, secret) {
				v.t.Errorf("%s is in %s", secret, where)
			}
		}
	}
}

// STS that fails is told in the log, and asks clients to come again. Loads go on.
func TestSTSFails(t *testing.T) {
	v := newVending(t)
	v.at("A", "{}")
	v.store.FailSTS(http.StatusForbidden)
	status, text := v.asked(http.MethodGet, "namespaces/n/tables/A", "")
	if status != http.StatusServiceUnavailable || strings.Contains(text, "sts") {
		t.Errorf("%d %s", status, text)
	}
	if log := v.log.String(); !strings.Contains(log, "sts: AssumeRole: ServiceUnavailable (status 403") {
		t.Error(log)
	}
	if status := v.get("/api/catalog/v1/namespaces/n/tables/A"); status != http.StatusOK {
		t.Error(status)
	}
	v.store.FailSTS(0)
	v.keys(http.MethodGet, "namespaces/n/tables/A", "")
	v.stopped()
}

// Case 145: what a table's properties say of an object store is data. puddle's own client
// goes where the configuration says, and clients that get credentials are sent there too.
func TestCase145_PropertiesSteerNobody(t *testing.T) {
	v := newVending(t)
	var astray atomic.Int64
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { astray.Add(1) }))
	defer foreign.Close()
	keys := map[string]string{
		"s3.endpoint": foreign.URL, "s3.access-key-id": "AKIAFOREIGN", "s3.secret-access-key": "x", "s3.session-token": "y", "s3.region": "elsewhere",
		"client.region": "elsewhere", "s3.path-style-access": "false", "io-impl": "org.example.Evil", "s3.proxy-uri": foreign.URL,
		"client.credentials-provider": "org.example.Evil", "client.refresh-credentials-endpoint": foreign.URL, "gcs.service.host": foreign.URL,
		"client.assume-role.arn": "arn:aws:iam::1:role/evil", "s3.remote-signing-enabled": "true", "s3.signer.uri": foreign.URL,
	}
	properties, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	v.at("A", string(properties))
	v.do(http.MethodPost, "namespaces/n/tables/A", fmt.Sprintf(`{"updates":[{"action":"set-properties","updates":%s}]}`, properties))
	given := v.keys(http.MethodGet, "namespaces/n/tables/A", "")
	for key, value := range keys {
		if given[key] == value {
			t.Errorf("a client is sent to %s: %s", key, value)
		}
	}
	if given["s3.endpoint"] != v.store.Endpoint || given["client.region"] != s3test.Region || given["s3.path-style-access"] != "true" {
		t.Error(given["s3.endpoint"], given["client.region"], given["s3.path-style-access"])
	}
	if refused := v.does(v.client(given), "wh/A/data/x"); refused != "" {
		t.Error(refused)
	}
	var loaded struct {
		Location string `json:"metadata-location"`
	}
	if _, text := v.read("/api/catalog/v1/namespaces/n/tables/A"); json.Unmarshal([]byte(text), &loaded) != nil {
		t.Fatal(text)
	}
	v.do(http.MethodDelete, "namespaces/n/tables/A", "")
	v.do(http.MethodPost, "namespaces/n/register", fmt.Sprintf(`{"name":"A","metadata-location":%q}`, loaded.Location))
	v.do(http.MethodDelete, "namespaces/n/tables/A?purgeRequested=true", "")
	if n := astray.Load(); n != 0 {
		t.Errorf("%d requests went astray", n)
	}
	v.stopped()
}

// Once another catalog writes to the warehouse, credentials of this one only read.
func TestCredentialsBesideASecondCatalog(t *testing.T) {
	v := newVending(t)
	v.at("A", "{}")
	if refused := v.does(v.client(v.keys(http.MethodGet, "namespaces/n/tables/A", "")), "wh/A/x"); refused != "" {
		t.Error(refused)
	}
	v.node.meets(v.node.warehouses[0], anchor.ErrOtherHistory)
	if refused := v.does(v.client(v.keys(http.MethodGet, "namespaces/n/tables/A", "")), "wh/A/x"); refused != "put upload copy delete" {
		t.Errorf("refused: %q", refused)
	}
	status, text := v.asked(http.MethodPost, "namespaces/n/tables", `{"name":"S","stage-create":true,"schema":{"type":"struct","fields":[]}}`)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "another catalog writes to it") {
		t.Errorf("%d %s", status, text)
	}
	v.stopped()
}
