package rest

import (
	"net/http"
	"slices"
	"strings"

	"puddle/journal"
)

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
	if of, point, then := strings.Cut(name, "@"); then {
		return c.configThen(of, point)
	}
	if name == "" {
		if w = c.server.only(); w == nil {
			return reply{}, badRequest("There are several warehouses: name one with warehouse=NAME")
		}
	}
	if w == nil {
		return reply{}, noSuchWarehouse(name)
	}
	c.warehouse = w
	answer := configuration{Overrides: map[string]string{"prefix": w.Name}, Endpoints: w.offers(), Defaults: w.Objects.Config}
	if w.Remember != nil {
		answer.KeyLifetime = isoDuration(c.server.KeyLifetime)
	}
	return ok(answer)
}

// configThen does the same for a warehouse as of a point, which is looked up once: the
// prefix names the event.
func (c *call) configThen(name, point string) (reply, error) {
	w := c.server.warehouses[name]
	if w == nil || w.Past == nil {
		return reply{}, noSuchWarehouse(name + "@" + point)
	}
	c.warehouse = w
	if _, err := journal.ParseSeq(point); err == nil {
		point = "seq:" + point // as in a prefix
	}
	e, on, err := c.server.event(c.ctx, w, `Query parameter "warehouse" after its @`, point)
	if err != nil {
		return reply{}, err
	}
	return ok(configuration{Overrides: map[string]string{"prefix": prefixThen(w.Name, journal.Position{Incarnation: on.left, Seq: e.Seq})}, Endpoints: w.reads(), Defaults: w.Objects.Config})
}

// offers are the endpoints as Iceberg writes them.
func (w *Warehouse) offers() []string {
	var list []string
	for _, e := range catalogEndpoints() {
		if !e.vends || w.vends() {
			list = append(list, e.method+" /v1/{prefix}"+e.path)
		}
	}
	return list
}

// reads are those of them that read.
func (w *Warehouse) reads() []string {
	return slices.DeleteFunc(w.offers(), func(e string) bool {
		return !strings.HasPrefix(e, http.MethodGet) && !strings.HasPrefix(e, http.MethodHead)
	})
}
