package rest

import "net/http"

// laterEndpoints are routes of Iceberg's that this build refuses in clear words.
// The config route does not list them, so that clients that look there do not
// come.
func laterEndpoints() []endpoint {
	const (
		namespace = "/namespaces/{namespace}"
		register  = "Registering a table by its metadata file is"
	)
	var all []endpoint
	for _, r := range []struct{ path, what string }{
		{namespace + "/register", register},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
			all = append(all, endpoint{method: method, path: r.path, handle: later(r.what)})
		}
	}
	return all
}

func later(what string) func(*call) (reply, error) {
	return func(*call) (reply, error) { return reply{}, unsupported(what + " not in this build") }
}
