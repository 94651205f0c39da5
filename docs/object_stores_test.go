package docs_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
)

type grants struct {
	Version   string
	Statement []struct {
		Sid, Effect                 string
		Principal, Action, Resource any
		Condition                   map[string]map[string]any
	}
}

type lifecycle struct {
	Rules []struct {
		ID, Status                     string
		Filter                         map[string]string
		Expiration                     map[string]any
		Transitions                    []any
		NoncurrentVersionExpiration    map[string]int
		AbortIncompleteMultipartUpload map[string]int
	}
}

var shownJSON = regexp.MustCompile("(?s)`([a-z-]+\\.json)`[^`]*```json\n(.*?)```")

// TestPoliciesAreJSON: the documents that the page of object stores has people give to
// theirs can be read, grant what has a name, and let no rule delete what is current.
func TestPoliciesAreJSON(t *testing.T) {
	page, names := pages(t)["object-stores.md"], []string{}
	for _, shown := range shownJSON.FindAllStringSubmatch(page, -1) {
		name, text := shown[1], []byte(shown[2])
		names = append(names, name)
		if name == "lifecycle.json" {
			var l lifecycle
			if err := json.Unmarshal(text, &l); err != nil || len(l.Rules) == 0 {
				t.Errorf("%s: %v", name, err)
			}
			for _, r := range l.Rules {
				if len(r.Transitions) > 0 || r.Expiration["Days"] != nil || r.Expiration["Date"] != nil {
					t.Errorf("%s: rule %s takes away what is current", name, r.ID)
				}
			}
			continue
		}
		var g grants
		if err := json.Unmarshal(text, &g); err != nil || g.Version != "2012-10-17" || len(g.Statement) == 0 {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
		for _, s := range g.Statement {
			if s.Effect != "Allow" && s.Effect != "Deny" || s.Action == nil || s.Resource == nil && s.Principal == nil {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
	want := []string{"lifecycle.json", "puddle-policy.json", "bucket-policy.json", "role-policy.json", "trust-policy.json", "assume-policy.json", "minio-policy.json", "ceph-trust-policy.json"}
	if !slices.Equal(names, want) {
		t.Errorf("the page shows %q", names)
	}
	if blocks := regexp.MustCompile("```json\n").FindAllString(page, -1); len(blocks) != len(want) {
		t.Errorf("%d blocks of JSON, %d of them with a name", len(blocks), len(names))
	}
}
