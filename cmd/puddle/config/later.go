package config

import "go.yaml.in/yaml/v3"

// What this build does not have yet, with the keys and defaults it will have. A
// file may say the default; anything else is refused, never ignored.
const (
	laterTLS     = `{cert-file: "", key-file: "", client-ca-file: ""}`
	laterOPA     = `{url: "", timeout: 500ms}`
	laterTracing = `{otlp-endpoint: ""}`
)

// later takes a key of a later build.
func (b *block) later(name, defaults string) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(defaults), &document); err != nil {
		b.fail(name, "%v", err)
		return
	}
	b.d.later(join(b.key, name), b.take(name), document.Content[0])
}

func (d *decoder) later(key string, n, standard *yaml.Node) {
	n = resolve(n)
	switch {
	case isNull(n), n.Kind != yaml.ScalarNode && len(n.Content) == 0:
	case n.Kind == yaml.ScalarNode && standard.Kind == yaml.ScalarNode && n.Value == standard.Value:
	case n.Kind == yaml.MappingNode && standard.Kind == yaml.MappingNode && len(standard.Content) > 0:
		known, set := d.block(key, standard), d.block(key, n)
		for _, name := range known.names {
			d.later(join(key, name), set.take(name), known.fields[name])
		}
		for _, name := range set.names {
			d.fail(join(key, name), "unknown key, and %s is not in this build: leave it out", key)
		}
	default:
		d.fail(key, "not in this build; leave it out")
	}
}

// only takes a choice of which this build has no more than the first.
func (b *block) only(name, first string, later ...string) {
	value := first
	b.choice(name, &value, append([]string{first}, later...)...)
	if value != first {
		b.fail(name, "%s is not in this build", value)
	}
}
