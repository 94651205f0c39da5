package rest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// query is a request's parameters.
type query struct{ values url.Values }

func parseQuery(raw string) (query, error) {
	if raw == "" {
		return query{}, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return query{}, badRequest("The query cannot be read: %v", err)
	}
	return query{values}, nil
}

// only refuses parameters that the route does not know.
func (q query) only(known ...string) error {
	for key := range q.values {
		if !slices.Contains(known, key) {
			return badRequest("Unknown query parameter %q; there are: %s", key, strings.Join(known, ", "))
		}
	}
	return nil
}

// get is the one value of a parameter. given tells an empty value from none;
// two values are refused, also when they are equal.
func (q query) get(key string) (value string, given bool, err error) {
	values := q.values[key]
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", true, badRequest("Query parameter %q is given %d times", key, len(values))
}

// boolean reads true or false in letters of either case, as Python writes them;
// absent is false and anything unclear is refused (case 107).
func (q query) boolean(key string) (bool, error) {
	value, given, err := q.get(key)
	switch {
	case err != nil:
		return false, err
	case !given || strings.EqualFold(value, "false"):
		return false, nil
	case strings.EqualFold(value, "true"):
		return true, nil
	}
	return false, badRequest("Query parameter %q must be true or false, not %q", key, value)
}

// count reads a whole number from 1 up; larger ones than max are max. Absent is
// otherwise.
func (q query) count(key string, otherwise, max int) (int, error) {
	value, given, err := q.get(key)
	if err != nil || !given {
		return otherwise, err
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil || n == 0 {
		return 0, badRequest("Query parameter %q must be a whole number from 1 up, not %q", key, value)
	}
	return int(min(n, uint64(max))), nil
}
