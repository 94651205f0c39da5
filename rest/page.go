package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"unicode/utf8"

	"puddle/journal"
	"puddle/projections"
)

// maxPageSize is the most names of one page.
const maxPageSize = 10_000

// tokenVersion is the first byte of every token.
const tokenVersion = 1

// listing is one thing that can be listed, by an unambiguous name of it. Tokens
// are bound to it, so that one of another listing is refused (case 87).
type listing string

// listing is what is listed of a namespace, now or as of then.
func (c *call) listing(kinds string, in journal.Namespace) listing {
	warehouse := c.warehouse.ID.String()
	if c.asOf.Seq != 0 {
		warehouse = prefixThen(warehouse, c.asOf)
	}
	return listing(warehouse + "/" + kinds + "/" + in.Key())
}

// page is what a client asked for of a listing. Without a token in the query
// everything comes at once, whatever the size.
type page struct {
	listing listing
	after   string
	size    int // 0: everything
}

func (q query) page(of listing) (page, error) {
	size, err := q.count("pageSize", 0, maxPageSize)
	if err != nil {
		return page{}, err
	}
	token, paged, err := q.get("pageToken")
	if err != nil || !paged {
		return page{listing: of}, err
	}
	after, ok := of.open(token)
	if !ok {
		return page{}, badRequest("The page token is not one of this listing")
	}
	return page{listing: of, after: after, size: size}, nil
}

// ask is the page as the catalog takes it: one more than is answered, to know
// whether there is more.
func (p page) ask() projections.Page {
	if p.size == 0 {
		return projections.Page{After: p.after}
	}
	return projections.Page{After: p.after, Limit: p.size + 1}
}

// cut is what of the names is answered, and the token of the next page: empty
// at the end.
func (p page) cut(names []string) (part []string, next string) {
	if p.size == 0 || len(names) <= p.size {
		return names, ""
	}
	part = names[:p.size]
	return part, p.listing.token(part[p.size-1])
}

// token names the last entry that was answered: what is dropped or created
// between two pages moves nothing else.
func (l listing) token(last string) string {
	mark := l.mark()
	return base64.RawURLEncoding.EncodeToString(append(append([]byte{tokenVersion}, mark[:]...), last...))
}

// open reads a token; the empty one stands before the first entry.
func (l listing) open(token string) (after string, ok bool) {
	if token == "" {
		return "", true
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	mark := l.mark()
	start := 1 + len(mark)
	if err != nil || len(data) <= start || data[0] != tokenVersion || string(data[1:start]) != string(mark[:]) {
		return "", false
	}
	after = string(data[start:])
	return after, utf8.ValidString(after)
}

func (l listing) mark() [8]byte {
	sum := sha256.Sum256([]byte(l))
	return [8]byte(sum[:8])
}
