package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"puddle/journal"
)

// endpoint is one method of one route: what is served, and how it is treated.
type endpoint struct {
	method string
	path   string // template from the root, without prefix: what logs and metrics say
	also   string // a second template; empty when there is none
	handle func(*call) (reply, error)
	again  func(*call, journal.Event) (reply, error) // the answer once more, from the event that it made; of what takes keys

	restore func(*call, reply) (reply, error) // completes an answer that was kept; nil: it is whole

	open    bool // needs no token
	early   bool // is answered while the server starts
	body    bool // its body is read
	writes  bool // changes the catalog
	commits bool // is a commit, where clients read 5xx as an unknown outcome
	vends   bool // answers credentials: offered where there are any
}

// resource is a route's endpoints by method.
type resource map[string]*endpoint

// allow lists the methods, as the header of that name does.
func (r resource) allow() string { return strings.Join(slices.Sorted(maps.Keys(r)), ", ") }

// match is what a path leads to. It is a matter of the path and the routes alone.
type match struct {
	path      string // raw
	resource  resource
	warehouse string // the segment that names it, still escaped
	named     bool   // there is such a segment
	names     names
}

// router finds resources by raw paths. Methods are left to the resources, so
// that a wrong one can be answered with those that are right.
type router struct {
	mux       *mux.Router
	resources map[*mux.Route]resource
	known     matches
}

func newRouter(endpoints []endpoint) *router {
	r := &router{mux: mux.NewRouter().UseEncodedPath().SkipClean(true), resources: map[*mux.Route]resource{}}
	byPath := map[string]resource{}
	for i := range endpoints {
		for _, path := range []string{endpoints[i].path, endpoints[i].also} {
			if path == "" {
				continue
			}
			if byPath[path] == nil {
				byPath[path] = resource{}
				r.resources[r.mux.Path(path)] = byPath[path]
			}
			byPath[path][endpoints[i].method] = &endpoints[i]
		}
	}
	return r
}

// find answers what a URL's path leads to; nil for nowhere.
func (r *router) find(u *url.URL) *match {
	raw := rawPath(u)
	if m := r.known.find(raw); m != nil {
		return m
	}
	m := r.lead(strings.Clone(raw)) // what is kept holds no more of the request
	if m != nil {
		r.known.keep(m)
	}
	return m
}

// lead follows a raw path.
func (r *router) lead(raw string) *match {
	plain, err := url.PathUnescape(raw)
	if err != nil {
		return nil
	}
	var to mux.RouteMatch
	if !r.mux.Match(&http.Request{URL: &url.URL{Path: plain, RawPath: raw}}, &to) {
		return nil
	}
	m := &match{path: raw, resource: r.resources[to.Route]}
	if m.warehouse, m.named = to.Vars["prefix"]; !m.named {
		m.warehouse, m.named = to.Vars["warehouse"]
	}
	if namespace, ok := to.Vars["namespace"]; ok {
		m.names = namesIn(namespace, to.Vars["table"]+to.Vars["view"])
	}
	return m
}
