package warehouse

import "context"

// Oddity is something in a folder that is no file with a key.
type Oddity struct {
	Name string // in its folder, as it is spelled there
	What string // "a link", "a folder", or "no file" and "a file whose name is no key"
}

// Odd is implemented by stores in which other things than files lie beside them.
type Odd interface {
	// Oddities are what lies right in the folder prefix and that List does not yield, in
	// the order of their names; also the folders, whatever they hold, and not what a
	// write that was cut off has left. They are not opened. A folder that is not there
	// has none; one that is a link, or on the way to which one is, is ErrLink.
	Oddities(ctx context.Context, prefix string) ([]Oddity, error)
}
