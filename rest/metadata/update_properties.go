package metadata

import "strconv"

type setProperties struct{ updates []property }

func (setProperties) Action() string { return "set-properties" }

// setProperties reads the updates, also under their name in old clients, updated.
func (r *reader) setProperties() (Update, error) {
	var u setProperties
	words := vocabulary{what: "set-properties", optional: []string{"action", "updates", "updated"}}
	given := false
	err := r.update(words, func(string) error {
		given = true
		v, err := r.value()
		if err != nil {
			return err
		}
		s, err := cutObject(newReader(v), "properties", readProperty)
		for _, it := range s.items {
			u.updates = append(u.updates, it.of)
		}
		return err
	})
	if err == nil && !given {
		err = invalidf("invalid set-properties: missing updates")
	}
	return u, err
}

func (u setProperties) apply(b *builder) error {
	places := make(map[string]int, len(b.properties.items))
	for i, it := range b.properties.items {
		places[it.of.key] = i
	}
	for _, p := range u.updates {
		if p.key == propertyFormatVersion {
			if err := b.versionProperty(p.value); err != nil {
				return err
			}
			continue
		}
		i, ok := places[p.key]
		if ok && b.properties.items[i].of == p {
			continue
		}
		if err := p.check(b.formatVersion); err != nil {
			return err
		}
		if ok {
			b.properties.replace(i, p, p.text())
		} else {
			places[p.key] = len(b.properties.items)
			b.properties.append(p, p.text())
		}
		b.changed = true
	}
	return nil
}

// versionProperty treats the property format-version as the upgrade that it asks
// for; it is never stored (case 20).
func (b *builder) versionProperty(value string) error {
	version, err := parseVersion(value)
	if err != nil {
		return err
	}
	return upgradeFormatVersion{version}.apply(b)
}

func parseVersion(value string) (int, error) {
	version, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, invalidf("Table property %s must be an integer: %q", propertyFormatVersion, value)
	}
	return int(version), nil
}

type removeProperties struct{ removals []string }

func (removeProperties) Action() string { return "remove-properties" }

// removeProperties reads the removals, also under their old name, removed.
func (r *reader) removeProperties() (Update, error) {
	var u removeProperties
	words := vocabulary{what: "remove-properties", optional: []string{"action", "removals", "removed"}}
	given := false
	err := r.update(words, func(string) error {
		given = true
		return r.array(func() error {
			var key string
			err := r.text(&key)
			u.removals = append(u.removals, key)
			return err
		})
	})
	if err == nil && !given {
		err = invalidf("invalid remove-properties: missing removals")
	}
	return u, err
}

func (u removeProperties) apply(b *builder) error {
	removals := make(map[string]bool, len(u.removals))
	for _, key := range u.removals {
		removals[key] = true
	}
	if b.properties.remove(func(p property) bool { return removals[p.key] }) {
		b.changed = true
	}
	return nil
}
