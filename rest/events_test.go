package rest

// listed is what tests read of an event.
type listed struct {
	Seq       int
	ID        string
	Kind      string
	Actor     string
	Origin    string
	Hash      string
	Prev      string
	RequestID string `json:"request-id"`
	At        string
	Moves     []struct{ UUID string }
}

// events lists the newest first.
func (f *fixture) events(query string) []listed {
	f.t.Helper()
	var list struct{ Events []listed }
	f.must(200, f.do("GET", "/api/puddle/v1/warehouses/default/events?order=desc&"+query, "")).into(f.t, &list)
	return list.Events
}
