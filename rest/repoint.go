package rest

import (
	"net/http"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// repointedBody is what was done, or with dry-run would be. Not changed means that
// the object is at that file already.
type repointedBody struct {
	Warehouse  string             `json:"warehouse"`
	Kind       journal.ObjectKind `json:"kind"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	From       pointerBody        `json:"from"`
	To         pointerBody        `json:"to"`
	Changed    bool               `json:"changed"`
	Rewind     bool               `json:"rewind"`   // the file does not descend from the one before
	Lowered    []loweredBody      `json:"lowered"`  // counters that go back
	NotUsed    []notUsedBody      `json:"not-used"` // of a search for the newest: named like metadata files, and none
	DryRun     bool               `json:"dry-run"`
}

type pointerBody struct {
	MetadataLocation string         `json:"metadata-location"`
	SHA256           journal.Digest `json:"sha256"`
	Size             int64          `json:"size"`
}

type loweredBody struct {
	Counter string `json:"counter"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
}

type notUsedBody struct {
	MetadataLocation string `json:"metadata-location"`
	Reason           string `json:"reason"`
}

// repoint moves a table or view to another of its metadata files. The body has the
// command's flags (interface §2).
func repoint(c *call) (reply, error) {
	r, err := c.repointBody()
	if err != nil {
		return reply{}, err
	}
	done, err := c.warehouse.Catalog.Repoint(c.ctx, c.cause(), r)
	if err != nil {
		return reply{}, err
	}
	body := repointedBody{
		Warehouse: c.warehouse.Name, Kind: done.Kind, UUID: done.UUID, Identifier: done.Identifier,
		From: pointerOf(done.From), To: pointerOf(done.To), Changed: done.Changed, Rewind: done.Rewind, DryRun: r.DryRun,
	}
	for _, l := range done.Lowered {
		body.Lowered = append(body.Lowered, loweredBody(l))
	}
	for _, n := range done.NotUsed {
		body.NotUsed = append(body.NotUsed, notUsedBody(n))
	}
	return document(http.StatusOK, body)
}

func pointerOf(p journal.Pointer) pointerBody {
	return pointerBody{p.MetadataLocation, p.SHA256, p.Size}
}

// repointBody reads the flags. One file is meant, named or the newest.
func (c *call) repointBody() (r catalog.Repoint, err error) {
	o, err := readFlags(c.data, "table", "to", "newest", "expect", "allow-rewind", "force", "reason", "dry-run")
	if err != nil {
		return r, err
	}
	if r.Identifier, r.UUID, err = o.objectOf("table"); err != nil {
		return r, err
	}
	for key, into := range map[string]*string{"to": &r.To, "expect": &r.Expect, "reason": &r.Reason} {
		if *into, err = o.text(key); err != nil {
			return r, err
		}
	}
	for key, into := range map[string]*bool{"newest": &r.Newest, "allow-rewind": &r.AllowRewind, "force": &r.Force, "dry-run": &r.DryRun} {
		if *into, err = o.boolean(key); err != nil {
			return r, err
		}
	}
	if r.Newest == (r.To != "") {
		return r, badRequest(`The request needs "to" or "newest", and not both`)
	}
	return r, nil
}
