package metadata

import "slices"

// partitionsStart is one below the first id of a partition field.
const partitionsStart = 999

// noID stands for an id that is not given.
const noID = -1

// partitionSpec is what is read of one partition spec.
type partitionSpec struct {
	id     int
	fields []partitionField
}

type partitionField struct {
	source    int   // the first of sources where source-id is not given
	sources   []int // source-ids, of transforms with more than one argument
	noSource  bool  // source-id is not given
	id        int   // noID when not given
	name      string
	transform string
}

var (
	specWords           = vocabulary{what: "partition spec", required: []string{"fields"}, optional: []string{"spec-id"}}
	partitionFieldWords = vocabulary{what: "partition field", required: []string{"name", "transform"},
		optional: []string{"source-id", "source-ids", "field-id"}}
)

// readSpec reads a partition spec; its id and the ids of its fields are noID
// where they are not given.
func readSpec(r *reader) (partitionSpec, error) {
	spec := partitionSpec{id: noID}
	err := r.object(specWords, func(name string) error {
		if name == "spec-id" {
			return orNull(r, r.int, &spec.id)
		}
		return r.array(func() error {
			f, err := r.partitionField()
			spec.fields = append(spec.fields, f)
			return err
		})
	})
	if err != nil {
		return spec, err
	}
	return spec, spec.check()
}

// readStoredSpec reads a spec of a file, where ids are always there.
func readStoredSpec(r *reader) (partitionSpec, error) {
	spec, err := readSpec(r)
	if err == nil && spec.id == noID {
		err = invalidf("invalid partition spec: missing spec-id")
	}
	if err == nil && len(spec.fields) > 0 && spec.fields[0].id == noID {
		err = invalidf("invalid partition spec %d: missing field ids", spec.id)
	}
	return spec, err
}

func (r *reader) partitionField() (partitionField, error) {
	f := partitionField{id: noID, noSource: true}
	err := r.object(partitionFieldWords, func(name string) error {
		switch name {
		case "source-id":
			f.noSource = false
			return r.int(&f.source)
		case "source-ids":
			return r.ints(&f.sources)
		case "name":
			return r.text(&f.name)
		case "field-id":
			return r.int(&f.id)
		default:
			return r.transform(&f.transform)
		}
	})
	if err == nil && f.noSource {
		f.source, err = firstSource(f.sources, partitionFieldWords)
	}
	return f, err
}

// firstSource stands for source-id in fields of transforms with more than one
// argument, which need format version 3 (checkSources).
func firstSource(sources []int, words vocabulary) (int, error) {
	if len(sources) == 0 {
		return 0, invalidf("invalid %s: missing source-id", words.what)
	}
	return sources[0], nil
}

// partitionsAs tells whether two fields have the same sources and transform.
func (f partitionField) partitionsAs(other partitionField) bool {
	return f.source == other.source && f.transform == other.transform && slices.Equal(f.sources, other.sources)
}

// sequential returns fields with the ids that format version 1 gives them.
func sequential(fields []partitionField) []partitionField {
	numbered := slices.Clone(fields)
	for i := range numbered {
		numbered[i].id = partitionsStart + 1 + i
	}
	return numbered
}

func (r *reader) transform(into *string) error {
	var text string
	err := r.text(&text)
	if err == nil {
		*into, err = readTransform(text)
	}
	return err
}

// check finds what is wrong with a spec by itself.
func (spec partitionSpec) check() error {
	names, ids, given := map[string]bool{}, map[int]bool{}, 0
	for _, f := range spec.fields {
		if f.name == "" {
			return invalidf("Cannot use empty partition name: source column %d", f.source)
		}
		if names[f.name] {
			return invalidf("Cannot use partition name more than once: %s", f.name)
		}
		names[f.name] = true
		if f.id == noID {
			continue
		}
		if f.id < 0 {
			return invalidf("Invalid partition field id: %d", f.id)
		}
		if ids[f.id] {
			return invalidf("Cannot use partition field id more than once: %d", f.id)
		}
		ids[f.id] = true
		given++
	}
	if given != 0 && given != len(spec.fields) {
		return invalidf("Cannot parse spec with missing field ids: %d missing of %d fields", len(spec.fields)-given, len(spec.fields))
	}
	return nil
}

// fits checks a spec against the schema that it partitions.
func (spec partitionSpec) fits(s schema) error {
	for _, f := range spec.fields {
		if f.transform == transformVoid {
			continue
		}
		for _, source := range append([]int{f.source}, f.sources...) {
			if err := checkSource("partition", f.name, f.transform, source, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// collides checks that no partition field has the name of a column that is not
// its source. Fields whose source is gone from the schema are passed over.
func (spec partitionSpec) collides(s schema) error {
	for _, f := range spec.fields {
		id, ok := s.named(f.name)
		if ok && id != f.source && s.find(f.source) != nil {
			return invalidf("Cannot create partition from name that exists in schema: %s", f.name)
		}
	}
	return nil
}

// same tells whether two specs partition alike, whatever their ids: the Java
// library's PartitionSpec.compatibleWith.
func (spec partitionSpec) same(other partitionSpec) bool {
	if len(spec.fields) != len(other.fields) {
		return false
	}
	for i, f := range spec.fields {
		g := other.fields[i]
		if f.name != g.name || !f.partitionsAs(g) {
			return false
		}
	}
	return true
}

// highest is the highest field id of a spec, at least partitionsStart.
func (spec partitionSpec) highest() int {
	highest := partitionsStart
	for _, f := range spec.fields {
		highest = max(highest, f.id)
	}
	return highest
}
