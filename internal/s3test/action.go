package s3test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
)

const arn = "arn:aws:s3:::"

// Actions on a bucket and on an object, by method and by what the query has.
var (
	bucketActions = map[string]string{
		"GET ": "s3:ListBucket", "HEAD ": "s3:ListBucket", "PUT ": "s3:CreateBucket", "DELETE ": "s3:DeleteBucket",
		"GET location": "s3:GetBucketLocation", "GET uploads": "s3:ListBucketMultipartUploads", "GET versions": "s3:ListBucketVersions",
		"GET versioning": "s3:GetBucketVersioning", "PUT versioning": "s3:PutBucketVersioning",
	}
	objectActions = map[string]string{
		"GET ": "s3:GetObject", "HEAD ": "s3:GetObject", "PUT ": "s3:PutObject", "DELETE ": "s3:DeleteObject",
		"GET versionId": "s3:GetObjectVersion", "HEAD versionId": "s3:GetObjectVersion", "DELETE versionId": "s3:DeleteObjectVersion",
		"POST uploads": "s3:PutObject", "PUT uploadId": "s3:PutObject", "POST uploadId": "s3:PutObject",
		"GET uploadId": "s3:ListMultipartUploadParts", "DELETE uploadId": "s3:AbortMultipartUpload",
	}
	subresources = []string{
		"acl", "cors", "delete", "encryption", "legal-hold", "lifecycle", "location", "logging", "notification", "object-lock", "policy", "publicAccessBlock",
		"replication", "requestPayment", "restore", "retention", "select", "tagging", "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
	}
)

// other is what only a policy for everything allows.
const other = "s3:Other"

// demands are what a request wants to do, the batch delete apart.
func demands(r *http.Request) ([]demand, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	query := r.URL.Query()
	actions, resource := objectActions, arn+bucket+"/"+key
	switch {
	case bucket == "":
		return []demand{{action: "s3:ListAllMyBuckets", resource: "*"}}, nil
	case key == "":
		actions, resource = bucketActions, arn+bucket
	}
	asked := r.Method + " "
	for _, name := range subresources {
		if query.Has(name) {
			asked = r.Method + " " + name
			break
		}
	}
	d := demand{action: actions[asked], resource: resource}
	if d.action == "" {
		d.action = other
	}
	if strings.HasPrefix(d.action, "s3:ListBucket") && query.Has("prefix") {
		prefix := query.Get("prefix")
		d.prefix = &prefix
	}
	source := r.Header.Get("X-Amz-Copy-Source")
	if source == "" {
		return []demand{d}, nil
	}
	path, _, _ := strings.Cut(source, "?")
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil, failure{http.StatusBadRequest, "InvalidArgument", "the copy source is not valid"}
	}
	return []demand{d, {action: "s3:GetObject", resource: arn + strings.TrimPrefix(decoded, "/")}}, nil
}

// batch is what a request deletes that deletes many.
type batch struct {
	XMLName xml.Name      `xml:"Delete"`
	Objects []batchObject `xml:"Object"`
	Quiet   bool          `xml:"Quiet,omitempty"`
}

type batchObject struct {
	Key       string
	VersionID string `xml:"VersionId,omitempty"`
}

// readBatch reads the keys of a batch delete; ok is whether the request is one.
func readBatch(r *http.Request, body []byte) (b batch, ok bool, err error) {
	if r.Method != http.MethodPost || !r.URL.Query().Has("delete") {
		return b, false, nil
	}
	if err := xml.Unmarshal(body, &b); err != nil {
		return b, true, failure{http.StatusBadRequest, "MalformedXML", err.Error()}
	}
	return b, true, nil
}

// demand is what deleting the object in the bucket is.
func (o batchObject) demand(bucket string) demand {
	action := "s3:DeleteObject"
	if o.VersionID != "" {
		action = "s3:DeleteObjectVersion"
	}
	return demand{action: action, resource: arn + bucket + "/" + o.Key}
}
