package rest

// reportMetrics counts what an engine tells of a scan or a commit of a table.
// Reports of kinds that are not known are taken as well.
func reportMetrics(c *call) (reply, error) {
	o, err := readObject("The report", c.data, "report-type", "table-name", "snapshot-id", "metrics")
	if err != nil {
		return reply{}, err
	}
	kind, err := o.name("report-type")
	if err != nil {
		return reply{}, err
	}
	if _, err := o.text("table-name"); err != nil {
		return reply{}, err
	}
	var measures map[string]any
	if err := o.member("metrics", "an object", '{', &measures); err != nil {
		return reply{}, err
	}
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	if err := c.warehouse.Catalog.TableExists(c.ctx, id); err != nil {
		return reply{}, err
	}
	c.server.Metrics.reported(c.warehouse.Name, kind)
	return noContent, nil
}
