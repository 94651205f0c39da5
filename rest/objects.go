package rest

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/projections"
)

// objectList is Iceberg's ListTablesResponse, which lists views as well.
type objectList struct {
	Identifiers []journal.Identifier `json:"identifiers"`
	Next        string               `json:"next-page-token,omitempty"`
}

// shown says which document an answer shows, and how: the digest of its text with
// all snapshots, and which of them are there.
type shown struct {
	digest    journal.Digest
	snapshots string
}

// isKnown tells whether there is such a document: what was only staged has no
// digest.
func (s shown) isKnown() bool { return s.digest != journal.Digest{} }

// documentPart is where the document is in the body of a metadataReply.
const documentPart = 1

// metadataReply answers a metadata file as it stands, with the location that it
// is at, if it is written, and the members that follow.
func metadataReply(location string, metadata []byte, tail string) reply {
	head := []byte(`{`)
	if location != "" {
		head = append(head, `"metadata-location":`...)
		head, _ = jsontext.AppendQuote(head, location) // replaces what is no UTF-8
		head = append(head, ',')
	}
	head = append(head, `"metadata":`...)
	return reply{status: http.StatusOK, body: [][]byte{head, metadata, []byte(tail)}}
}

// listObjects answers a page of a namespace's tables or views. kinds names them
// in page tokens.
func (c *call) listObjects(kinds string, list func(context.Context, journal.Namespace, projections.Page) ([]string, error)) (reply, error) {
	in, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	page, err := c.query.page(listing(c.warehouse.ID.String() + "/" + kinds + "/" + in.Key()))
	if err != nil {
		return reply{}, err
	}
	names, err := list(c.ctx, in, page.ask())
	if err != nil {
		return reply{}, err
	}
	var answer objectList
	names, answer.Next = page.cut(names)
	for _, name := range names {
		answer.Identifiers = append(answer.Identifiers, journal.Identifier{Namespace: in, Name: name})
	}
	return ok(answer)
}
