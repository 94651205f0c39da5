package rest

// configuration is Iceberg's CatalogConfig.
type configuration struct {
	Defaults  map[string]string `json:"defaults"`
	Overrides map[string]string `json:"overrides"`
	Endpoints []string          `json:"endpoints"`
	// KeyLifetime is for how long keys are known at least; clients send them
	// where it is given.
	KeyLifetime string `json:"idempotency-key-lifetime,omitempty"`
}

// config tells a client the prefix of its warehouse and what works (case 91).
func config(c *call) (reply, error) {
	name, _, err := c.query.get("warehouse")
	if err != nil {
		return reply{}, err
	}
	w := c.server.warehouses[name]
	if name == "" {
		if w = c.server.only(); w == nil {
			return reply{}, badRequest("There are several warehouses: name one with warehouse=NAME")
		}
	}
	if w == nil {
		return reply{}, noSuchWarehouse(name)
	}
	c.warehouse = w
	answer := configuration{Overrides: map[string]string{"prefix": w.Name}, Endpoints: offers()}
	if w.Remember != nil {
		answer.KeyLifetime = isoDuration(c.server.KeyLifetime)
	}
	return ok(answer)
}

// offers are the endpoints as Iceberg writes them.
func offers() []string {
	var list []string
	for _, e := range catalogEndpoints() {
		list = append(list, e.method+" /v1/{prefix}"+e.path)
	}
	return list
}
