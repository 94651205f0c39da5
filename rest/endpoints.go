package rest

import "net/http"

const (
	catalogBase = "/api/catalog/v1"
	puddleBase  = "/api/puddle/v1"
)

// endpoints is everything that is served. Routes without prefix come first: no
// warehouse is called like the words they begin with.
func (s *server) endpoints() []endpoint {
	all := []endpoint{
		{method: http.MethodGet, path: catalogBase + "/config", handle: config},
	}
	for _, e := range catalogEndpoints() {
		bare := catalogBase + e.path
		e.path = catalogBase + "/{prefix}" + e.path
		if s.starting || s.only() != nil {
			e.also = bare
		}
		all = append(all, e)
	}
	all = append(all, puddleEndpoints()...)
	return append(all, openEndpoints(s.Metrics)...)
}

// catalogEndpoints are Iceberg's, below /v1/{prefix}. The config route lists
// them as they stand here.
func catalogEndpoints() []endpoint {
	const (
		namespaces = "/namespaces"
		namespace  = namespaces + "/{namespace}"
		tables     = namespace + "/tables"
		table      = tables + "/{table}"
		views      = namespace + "/views"
		view       = views + "/{view}"
	)
	return []endpoint{
		{method: http.MethodGet, path: table, handle: loadTable},
		{method: http.MethodPost, path: table, handle: commitTable, again: committedAgain, body: true, writes: true, commits: true},
		{method: http.MethodHead, path: table, handle: tableExists},
		{method: http.MethodDelete, path: table, handle: dropTable, again: doneAgain, writes: true},
		{method: http.MethodPost, path: table + "/metrics", handle: reportMetrics, body: true},
		{method: http.MethodPost, path: table + "/unregister", handle: unregisterTable, again: unregisteredAgain, writes: true},
		{method: http.MethodGet, path: table + "/credentials", handle: loadCredentials, vends: true},
		{method: http.MethodGet, path: tables, handle: listTables},
		{method: http.MethodPost, path: tables, handle: createTable, again: loadedAgain, restore: stagedAgain, body: true, writes: true},
		{method: http.MethodGet, path: namespaces, handle: listNamespaces},
		{method: http.MethodPost, path: namespaces, handle: createNamespace, again: namespaceAgain, body: true, writes: true},
		{method: http.MethodGet, path: namespace, handle: loadNamespace},
		{method: http.MethodHead, path: namespace, handle: namespaceExists},
		{method: http.MethodDelete, path: namespace, handle: dropNamespace, again: doneAgain, writes: true},
		{method: http.MethodPost, path: namespace + "/properties", handle: updateNamespace, again: propertiesAgain, body: true, writes: true},
		{method: http.MethodPost, path: "/tables/rename", handle: renameTable, again: doneAgain, body: true, writes: true},
		{method: http.MethodPost, path: "/transactions/commit", handle: commitTransaction, again: doneAgain, body: true, writes: true, commits: true},
		{method: http.MethodGet, path: view, handle: loadView},
		{method: http.MethodPost, path: view, handle: commitView, again: viewAgain, body: true, writes: true, commits: true},
		{method: http.MethodHead, path: view, handle: viewExists},
		{method: http.MethodDelete, path: view, handle: dropView, again: doneAgain, writes: true},
		{method: http.MethodGet, path: views, handle: listViews},
		{method: http.MethodPost, path: views, handle: createView, again: viewAgain, body: true, writes: true},
		{method: http.MethodPost, path: "/views/rename", handle: renameView, again: doneAgain, body: true, writes: true},
		{method: http.MethodPost, path: namespace + "/register", handle: registerTable, again: loadedAgain, body: true, writes: true},
		{method: http.MethodPost, path: namespace + "/register-view", handle: registerView, again: viewAgain, body: true, writes: true},
	}
}

// puddleEndpoints are puddle's own. Those that write know no Idempotency-Key: done a
// second time they change nothing, and say so.
func puddleEndpoints() []endpoint {
	const warehouse = puddleBase + "/warehouses/{warehouse}"
	return []endpoint{
		{method: http.MethodGet, path: puddleBase + "/status", handle: status, early: true},
		{method: http.MethodGet, path: puddleBase + "/warehouses", handle: listWarehouses},
		{method: http.MethodGet, path: warehouse + "/events", handle: listEvents},
		{method: http.MethodGet, path: warehouse + "/history", handle: history},
		{method: http.MethodGet, path: warehouse + "/state", handle: state},
		{method: http.MethodGet, path: warehouse + "/diff", handle: diff},
		{method: http.MethodPost, path: warehouse + "/undrop", handle: undrop, body: true, writes: true},
		{method: http.MethodPost, path: warehouse + "/repoint", handle: repoint, body: true, writes: true},
	}
}

// openEndpoints are for whoever runs the server.
func openEndpoints(m *Metrics) []endpoint {
	all := []endpoint{
		{method: http.MethodGet, path: "/healthz", handle: healthz, open: true, early: true},
		{method: http.MethodHead, path: "/healthz", handle: healthz, open: true, early: true},
		{method: http.MethodGet, path: "/readyz", handle: readyz, open: true, early: true},
		{method: http.MethodHead, path: "/readyz", handle: readyz, open: true, early: true},
	}
	if m != nil {
		all = append(all, endpoint{method: http.MethodGet, path: "/metrics", handle: m.show, early: true})
	}
	return all
}
