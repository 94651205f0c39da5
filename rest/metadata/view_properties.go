package metadata

import (
	"strconv"
	"strings"
)

// View properties that change what this package does.
const (
	propertyHistorySize = "version.history.num-entries"
	propertyDropDialect = "replace.drop-dialect.allowed"
)

// historySizeDefault is how many versions of a view are kept.
const historySizeDefault = 10

// checkView finds what is wrong with a property that a client sets on a view. No
// name is reserved on views.
func (p property) checkView() error {
	switch p.key {
	case propertyHistorySize:
		if n, err := strconv.ParseInt(p.value, 10, 32); err != nil || n <= 0 {
			return invalidf("View property %s must be a positive integer: %q", p.key, p.value)
		}
	case propertyMetadataPath:
		if strings.TrimRight(p.value, "/") == "" {
			return invalidf("View property %s must not be empty", p.key)
		}
	case propertyCompression:
		return checkCodec(p.value)
	}
	return nil
}

// historySize is how many versions the properties keep. A value in a file that
// cannot be counts as not set (case 127).
func (s *viewState) historySize() int {
	text, ok := s.property(propertyHistorySize)
	n, err := strconv.ParseInt(text, 10, 32)
	if !ok || err != nil || n <= 0 {
		return historySizeDefault
	}
	return int(n)
}

func (u setProperties) applyView(b *viewBuilder) error {
	places := make(map[string]int, len(b.properties.items))
	for i, it := range b.properties.items {
		places[it.of.key] = i
	}
	for _, p := range u.updates {
		i, ok := places[p.key]
		if ok && b.properties.items[i].of == p {
			continue
		}
		if err := p.checkView(); err != nil {
			return err
		}
		if ok {
			b.properties.replace(i, p, p.text())
			continue
		}
		places[p.key] = len(b.properties.items)
		b.properties.append(p, p.text())
	}
	return nil
}

func (u removeProperties) applyView(b *viewBuilder) error {
	removals := make(map[string]bool, len(u.removals))
	for _, key := range u.removals {
		removals[key] = true
	}
	b.properties.remove(func(p property) bool { return removals[p.key] })
	return nil
}
