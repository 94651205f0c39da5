package rest

import (
	"maps"
	"net/http"
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

	open    bool // needs no token
	early   bool // is answered while the server starts
	body    bool // its body is read
	writes  bool // changes the catalog
	commits bool // is a commit, where clients read 5xx as an unknown outcome
}

// resource is a route's endpoints by method.
type resource map[string]*endpoint

// allow lists the methods, as the header of that name does.
func (r resource) allow() string { return strings.Join(slices.Sorted(maps.Keys(r)), ", ") }

// router finds resources by raw paths. Methods are left to the resources, so
// that a wrong one can be answered with those that are right.
type router struct {
	mux       *mux.Router
	resources map[*mux.Route]resource
}

func newRouter(endpoints []endpoint) router {
	r := router{mux.NewRouter().UseEncodedPath().SkipClean(true), map[*mux.Route]resource{}}
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

// find answers the resource of a path and the path's variables, still escaped;
// nil when there is none.
func (r router) find(request *http.Request) (resource, map[string]string) {
	asSent := *request.URL
	asSent.RawPath = rawPath(request.URL)
	var match mux.RouteMatch
	if !r.mux.Match(&http.Request{URL: &asSent}, &match) {
		return nil, nil
	}
	return r.resources[match.Route], match.Vars
}
