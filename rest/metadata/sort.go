package metadata

import (
	"fmt"
	"slices"
	"strings"
)

// unsortedID is the order id of every unsorted order, and of no other.
const unsortedID = 0

// sortOrder is what is read of one sort order.
type sortOrder struct {
	id     int
	fields []sortField
}

type sortField struct {
	source     int   // the first of sources where source-id is not given
	sources    []int // source-ids, of transforms with more than one argument
	noSource   bool  // source-id is not given
	transform  string
	descending bool
	nullsLast  bool
}

var (
	orderWords     = vocabulary{what: "sort order", required: []string{"order-id", "fields"}}
	sortFieldWords = vocabulary{what: "sort field", required: []string{"transform", "direction", "null-order"},
		optional: []string{"source-id", "source-ids"}}
)

func readOrder(r *reader) (sortOrder, error) {
	var order sortOrder
	err := r.object(orderWords, func(name string) error {
		if name == "order-id" {
			return r.int(&order.id)
		}
		return r.array(func() error {
			f, err := r.sortField()
			order.fields = append(order.fields, f)
			return err
		})
	})
	if err != nil {
		return order, err
	}
	if len(order.fields) == 0 && order.id != unsortedID {
		return order, invalidf("Unsorted order id must be 0: %d", order.id)
	}
	if len(order.fields) > 0 && order.id == unsortedID {
		return order, invalidf("Sort order id 0 is reserved for unsorted order")
	}
	return order, nil
}

func (r *reader) sortField() (sortField, error) {
	f := sortField{noSource: true}
	err := r.object(sortFieldWords, func(name string) error {
		switch name {
		case "source-id":
			f.noSource = false
			return r.int(&f.source)
		case "source-ids":
			return r.ints(&f.sources)
		case "transform":
			return r.transform(&f.transform)
		case "direction":
			return r.choice(&f.descending, "asc", "desc")
		default:
			return r.choice(&f.nullsLast, "nulls-first", "nulls-last")
		}
	})
	if err == nil && f.noSource {
		f.source, err = firstSource(f.sources, sortFieldWords)
	}
	return f, err
}

// sortsAs tells whether two fields sort alike.
func (f sortField) sortsAs(other sortField) bool {
	return f.source == other.source && f.transform == other.transform && f.descending == other.descending &&
		f.nullsLast == other.nullsLast && slices.Equal(f.sources, other.sources)
}

// choice reads one of two words, in any case, and tells whether it is the second.
func (r *reader) choice(second *bool, one, two string) error {
	var text string
	if err := r.text(&text); err != nil {
		return err
	}
	*second = strings.EqualFold(text, two)
	if !*second && !strings.EqualFold(text, one) {
		return fmt.Errorf("must be %s or %s: %q", one, two, text)
	}
	return nil
}

// fits checks an order against the schema that it sorts. A column that is gone is
// refused under the void transform too: the Java library excuses it in specs only.
func (order sortOrder) fits(s schema) error {
	for _, f := range order.fields {
		for _, source := range append([]int{f.source}, f.sources...) {
			if err := checkSource("sort", fmt.Sprint(source), f.transform, source, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// same tells whether two orders sort alike, whatever their ids.
func (order sortOrder) same(other sortOrder) bool {
	return slices.EqualFunc(order.fields, other.fields, sortField.sortsAs)
}
