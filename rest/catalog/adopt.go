package catalog

import (
	"context"
	"errors"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
)

// adopt reads a metadata file that is there already, to be registered as it lies.
// It stays its owner's: nothing here ever writes or deletes it (case 35). Its
// name must be that of a metadata file, and gzipped it is when its name says so:
// engines go by the name (case 1). A large one waits for its turn. Invalid, FileMissing,
// Unavailable.
func (c *Catalog) adopt(ctx context.Context, at string) (file, error) {
	ctx, end := c.inTurn(ctx)
	defer end()
	data, err := c.getFound(ctx, at, metadata.LargeFile(metadata.IsCompressedName(at)))
	if errors.Is(err, warehouse.ErrTooLarge) {
		if err := takeTurn(ctx, at); err != nil {
			return file{}, err
		}
		data, err = c.getFound(ctx, at, MaxMetadataBytes)
	}
	switch {
	case errors.Is(err, warehouse.ErrTooLarge):
		return file{}, because(Invalid, err, "The metadata file %s is over the limit of %d bytes", at, MaxMetadataBytes)
	case err != nil:
		return file{}, err
	}
	return adopted(ctx, at, data)
}

// adopted is a metadata file of given bytes. Invalid, Unavailable.
func adopted(ctx context.Context, at string, data []byte) (file, error) {
	if !metadata.IsFileName(at) {
		return file{}, misnamed(at)
	}
	text := data
	switch compressed := metadata.IsCompressedName(at); {
	case compressed != gzipped(data) && compressed:
		return file{}, refuse(Invalid, "The metadata file %s is not gzipped, as its name says", at)
	case compressed != gzipped(data):
		return file{}, refuse(Invalid, "The metadata file %s is gzipped, which its name does not say", at)
	case compressed:
		var err error
		text, err = inflateInTurn(ctx, at, data)
		if refused := (*Error)(nil); errors.As(err, &refused) {
			return file{}, err
		}
		if err != nil {
			return file{}, because(Invalid, err, "The metadata file %s cannot be inflated: %v", at, err)
		}
	}
	return fileAt(at, data, text), nil
}

// getFound reads a metadata file that is there already, in the warehouse or in an
// external one.
func (c *Catalog) getFound(ctx context.Context, at string, limit int64) ([]byte, error) {
	if c.askExternal(at) {
		return c.getExternal(ctx, at, limit)
	}
	if _, err := readings(c.Roots, "metadata-location", at); err != nil {
		return nil, err
	}
	data, err := c.get(ctx, at, limit)
	if errors.Is(err, warehouse.ErrLink) {
		err = barred("metadata-location", at, err)
	}
	return data, err
}

func misnamed(at string) *Error {
	return refuse(Invalid, "metadata-location %q is refused: it is not named as a metadata file is", at)
}

// checkHome refuses a metadata file that does not lie where its object keeps
// such files: below its location or its write.metadata.path (case 139).
func (c *Catalog) checkHome(at string, doc version) error {
	lies, err := warehouse.ParseLocation(at)
	if err != nil {
		return barred("metadata-location", at, err)
	}
	for role, location := range owned(doc) {
		home, err := warehouse.ParseLocation(location)
		if err == nil && (role == locationProperty || role == "write.metadata.path") && lies.Within(home) {
			return nil
		}
	}
	return refuse(Invalid, "metadata-location %q is refused: it is neither below the location that the file says nor below its write.metadata.path", at)
}
