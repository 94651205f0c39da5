package rest

// configuration is Iceberg's CatalogConfig.
type configuration struct {
	Defaults  map[string]string `json:"defaults"`
	Overrides map[string]string `json:"overrides"`
	Endpoints []string          `json:"endpoints"`
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
	return ok(configuration{Overrides: map[string]string{"prefix": w.Name}, Endpoints: offers()})
}

// offers are the endpoints as Iceberg writes them.
func offers() []string {
	var list []string
	for _, e := range catalogEndpoints() {
		list = append(list, e.method+" /v1/{prefix}"+e.path)
	}
	return list
}
