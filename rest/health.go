package rest

// health is the answer of an open route.
type health struct {
	Status string `json:"status"`
}

// healthz tells that the process answers.
func healthz(*call) (reply, error) { return ok(health{"alive"}) }

// readyz tells whether the catalog is caught up and writable.
func readyz(c *call) (reply, error) {
	if c.server.Ready != nil {
		if err := c.server.Ready(c.ctx); err != nil {
			return reply{}, slowDown(surely(false), "Not ready: "+err.Error(), err)
		}
	}
	return ok(health{"ready"})
}
