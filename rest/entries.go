package rest

import (
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Limits of one answer of a state or a difference.
const (
	defaultEntries = 1000
	maxEntries     = 10_000
	maxEntryBytes  = 16 << 20 // of JSON; the entry that passes it is the last
)

// The lists of such an answer, in their order.
const (
	namespaceEntries = "namespaces"
	objectEntries    = "objects"
)

// entry is one of a list.
type entry struct {
	place
	value any
}

// place is where an entry is. The zero place is before all.
type place struct{ list, key string }

// entries takes a page of what is listed, by list, and the token of the next page:
// empty at the end. from yields all after a place, in order, and reads no storage.
func (c *call) entries(of listing, from func(place) iter.Seq[entry]) (lists map[string][]jsontext.Value, next string, err error) {
	limit, err := c.query.count("limit", defaultEntries, maxEntries)
	if err != nil {
		return nil, "", err
	}
	last, err := c.place(of)
	if err != nil {
		return nil, "", err
	}
	lists = map[string][]jsontext.Value{}
	size, taken := 0, 0
	for e := range from(last) {
		if taken == limit || size >= maxEntryBytes {
			return lists, of.token(last.list + "/" + last.key), nil
		}
		if err := c.ctx.Err(); err != nil {
			return nil, "", err
		}
		body, err := json.Marshal(e.value, json.Deterministic(true))
		if err != nil {
			return nil, "", err
		}
		lists[e.list] = append(lists[e.list], body)
		last, size, taken = e.place, size+len(body), taken+1
	}
	return lists, "", nil
}

// place reads after which entry a page begins.
func (c *call) place(of listing) (place, error) {
	token, given, err := c.query.get("next")
	if err != nil || !given {
		return place{}, err
	}
	text, ok := of.open(token)
	list, key, whole := strings.Cut(text, "/")
	if !ok || !whole {
		return place{}, badRequest("Query parameter %q is not of this answer", "next")
	}
	return place{list, key}, nil
}
