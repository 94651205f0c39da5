package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/s3"
	"puddle/rest"
)

// openPlaces opens the places that a warehouse uses, its own root first. Folders that are
// not there are made; an object store is not asked yet. What it gives back is to be
// closed, also after an error.
func openPlaces(ctx context.Context, w config.Warehouse, took rest.StoreTimes) (roots store.Roots, closers []func() error, err error) {
	var service *s3.Service
	for _, place := range w.Places() {
		opened := store.Root{URL: place.URL, Location: place.Location}
		switch {
		case place.IsFolder():
			folder, err := dir.Open(place.Folder())
			if err != nil {
				return roots, closers, fmt.Errorf("warehouse %s: %w", w.Name, err)
			}
			closers = append(closers, folder.Close)
			opened.Store = measuredFolder{measured{folder, took}, folder}
		default:
			if service == nil {
				if service, err = s3.New(ctx, serviceOptions(w.S3.Service)); err != nil {
					return roots, closers, fmt.Errorf("warehouse %s: %w", w.Name, err)
				}
				closers = append(closers, service.Close)
			}
			opened.Store, opened.Revalidate = measureBucket(service.Store(place.Location), took), w.S3.Revalidate
		}
		roots = append(roots, opened)
	}
	return roots, closers, nil
}

// serviceOptions are those of an object store that a configuration names.
func serviceOptions(c config.Service) s3.Options {
	return s3.Options{
		Region: c.Region, Endpoint: c.Endpoint, PathStyle: c.PathStyle,
		AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey,
	}
}

// absentFolder tells whether a place is a folder that is not there. Whether a bucket is
// there is told by those who ask for something in it.
func absentFolder(place config.Place) bool {
	return place.IsFolder() && absent(place.Folder())
}

// absent tells whether there is nothing at a path.
func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}
