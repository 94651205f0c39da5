package rest

import "context"

// health is the answer of an open route.
type health struct {
	Status string `json:"status"`
}

// healthz tells that the process answers.
func healthz(*call) (reply, error) { return ok(health{"alive"}) }

// readyz tells whether the catalog is caught up and writable.
func readyz(c *call) (reply, error) {
	if err := c.server.ready(c.ctx); err != nil {
		return reply{}, notReady(false, err)
	}
	return ok(health{"ready"})
}

// ready tells why requests are not served as they should be.
func (s *server) ready(ctx context.Context) error {
	if s.Ready == nil {
		return nil
	}
	return s.Ready(ctx)
}

// notReady is the answer while the reason lasts: surely not done.
func notReady(commits bool, reason error) *failure {
	return slowDown(surely(commits), "Not ready: "+reason.Error(), reason)
}
