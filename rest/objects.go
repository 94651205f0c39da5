package rest

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/projections"
)

// objectList is Iceberg's ListTablesResponse, which lists views as well: of one
// namespace, so that what all entries share is written once. next may be empty.
func objectList(in journal.Namespace, names []string, next string) reply {
	rest := append(appendNamespace([]byte(`,"namespace":`), in), '}')
	size := len(next) + 64
	for _, name := range names {
		size += len(`{"name":"",`) + len(name) + len(rest)
	}
	text := append(make([]byte, 0, size), `{"identifiers":[`...)
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(appendQuoted(append(text, `{"name":`...), name), rest...)
	}
	text = append(text, ']')
	if next != "" {
		text = appendQuoted(append(text, `,"next-page-token":`...), next)
	}
	return reply{status: http.StatusOK, body: [][]byte{append(text, '}')}}
}

func appendNamespace(text []byte, n journal.Namespace) []byte {
	text = append(text, '[')
	for i, level := range n {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendQuoted(text, level)
	}
	return append(text, ']')
}

// appendQuoted writes a string of JSON. What is no UTF-8 is replaced.
func appendQuoted(text []byte, s string) []byte {
	text, _ = jsontext.AppendQuote(text, s) // tells what it replaced
	return text
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
		head = append(appendQuoted(append(head, `"metadata-location":`...), location), ',')
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
	page, err := c.query.page(c.listing(kinds, in))
	if err != nil {
		return reply{}, err
	}
	names, err := list(c.ctx, in, page.ask())
	if err != nil {
		return reply{}, err
	}
	names, next := page.cut(names)
	return objectList(in, names, next), nil
}
