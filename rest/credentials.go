package rest

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/rest/access/vended"
	"puddle/rest/catalog"
)

// delegationHeader is where clients say how they may be given access.
const delegationHeader = "X-Iceberg-Access-Delegation"

// ObjectStore is an object store as clients are told of it.
type ObjectStore struct {
	Config map[string]string // what they need to reach it, by their names for it; no secret
	Vendor *vended.Vendor    // makes credentials; nil: nobody gets any
}

// vends tells whether there are credentials to be had for tables of the warehouse.
func (w *Warehouse) vends() bool {
	if w.Objects.Vendor != nil {
		return true
	}
	for _, s := range w.Externals {
		if s.Vendor != nil {
			return true
		}
	}
	return false
}

// objectsOf is the object store that a table lies in.
func (w *Warehouse) objectsOf(r catalog.Reach) ObjectStore {
	if r.External != "" {
		return w.Externals[r.External]
	}
	return w.Objects
}

// readOnly is why nobody may change anything; nil: they may.
func (w *Warehouse) readOnly() error {
	if w.ReadOnly == nil {
		return nil
	}
	return w.ReadOnly()
}

// delegates tells whether the client asks for credentials, and any can be had.
func (c *call) delegates() bool {
	values := c.request.Header[delegationHeader]
	if len(values) == 0 || !c.warehouse.vends() {
		return false
	}
	for _, line := range values {
		for one := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(one), "vended-credentials") {
				return true
			}
		}
	}
	return false
}

// credential is Iceberg's StorageCredential.
type credential struct {
	Prefix string            `json:"prefix"`
	Config map[string]string `json:"config"`
}

// grant is what a client is given to reach one table.
type grant struct {
	config map[string]string // what the object store needs, credentials included
	reach  catalog.Reach
	end    time.Time // of the credentials, by the server's clock
}

// vend makes the credentials for where a table lies; nil when there are none to be had
// there. Who may write gets those of a writer: everybody, but where nothing is written.
func (c *call) vend(id journal.Identifier, reach catalog.Reach) (*grant, error) {
	storage := c.warehouse.objectsOf(reach)
	if storage.Vendor == nil || len(reach.Grounds) == 0 {
		return nil, nil
	}
	mode := vended.ReadWrite
	if reach.ReadOnly || c.warehouse.readOnly() != nil {
		mode = vended.ReadOnly
	}
	places := make([]vended.Place, len(reach.Grounds))
	for i, g := range reach.Grounds {
		places[i] = vended.Place{Bucket: g.Bucket, Prefix: g.Prefix}
	}
	made, err := storage.Vendor.Vend(c.ctx, vended.Session{Actor: string(c.caller.Actor), Table: reach.UUID.String()}, mode, places...)
	switch {
	case errors.Is(err, vended.ErrUnfit):
		return nil, &catalog.Error{Code: catalog.Unsupported, Message: "Table " + id.String() + ": " + err.Error(), Err: err}
	case err != nil && c.ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, slowDown(http.StatusServiceUnavailable, "Credentials for the table cannot be had at the moment", err)
	}
	config := map[string]string{
		"s3.access-key-id":               made.AccessKeyID,
		"s3.secret-access-key":           made.SecretAccessKey,
		"s3.session-token":               made.SessionToken,
		"s3.session-token-expires-at-ms": strconv.FormatInt(made.Expires.UnixMilli(), 10),
	}
	maps.Copy(config, storage.Config)
	return &grant{config, reach, made.Until}, nil
}

// each is a credential for each place of the table: DuckDB goes by their prefixes.
func (g *grant) each() []credential {
	all := make([]credential, len(g.reach.Grounds))
	for i, ground := range g.reach.Grounds {
		all[i] = credential{ground.URL, g.config}
	}
	return all
}

// whole is one credential for all of them: Iceberg's Java client refuses several that
// begin with s3 when it asks for new ones.
func (g *grant) whole() credential {
	prefix := g.reach.Grounds[0].URL
	for _, ground := range g.reach.Grounds[1:] {
		for !strings.HasPrefix(ground.URL, prefix) {
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		}
	}
	if prefix == "" {
		prefix = "s3" // they are spelled with different schemes
	}
	return credential{prefix, g.config}
}

// tail ends a LoadTableResult with access to the table.
func (c *call) tail(id journal.Identifier, g *grant) (string, error) {
	config := maps.Clone(g.config)
	config["client.refresh-credentials-endpoint"] = c.credentialsPath(id)
	text, err := json.Marshal(struct {
		Config      map[string]string `json:"config"`
		Credentials []credential      `json:"storage-credentials"`
	}{config, g.each()}, json.Deterministic(true), jsontext.EscapeForHTML(false))
	if err != nil {
		return "", err
	}
	return "," + string(text[1:]), nil
}

// credentialsPath is the route of a table's credentials, below the catalog's URI.
func (c *call) credentialsPath(id journal.Identifier) string {
	prefix := c.warehouse.Name
	if c.asOf.Seq != 0 {
		prefix = prefixThen(prefix, c.asOf)
	}
	levels := make([]string, len(id.Namespace))
	for i, level := range id.Namespace {
		levels[i] = escapedName(level)
	}
	return "v1/" + prefix + "/namespaces/" + strings.Join(levels, "%1F") + "/tables/" + escapedName(id.Name) + "/credentials"
}

// escapedName is a name in a path, in which nobody takes a plus for a space.
func escapedName(name string) string { return strings.ReplaceAll(url.PathEscape(name), "+", "%2B") }
