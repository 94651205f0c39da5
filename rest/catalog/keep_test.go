package catalog_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
)

// keepFolder gets every metadata file that the catalogs of the tests write,
// under its digest: what fixtures/javacheck has the Java library load. None is
// kept by default.
var keepFolder = os.Getenv("PUDDLE_TEST_KEEP_METADATA")

func keepingFiles(files warehouse.Store) warehouse.Store {
	if keepFolder == "" {
		return files
	}
	return keeping{files}
}

// keeping is a store that keeps what is staged in it.
type keeping struct{ warehouse.Store }

func (s keeping) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	info, err := s.Store.Stage(ctx, key, data)
	if err != nil {
		return info, err
	}
	name := fmt.Sprintf("%x.metadata.json", sha256.Sum256(data))
	if metadata.IsCompressedName(key) {
		name = fmt.Sprintf("%x.gz.metadata.json", sha256.Sum256(data))
	}
	return info, os.WriteFile(filepath.Join(keepFolder, name), data, 0o600)
}

func (s keeping) MakeFolder(ctx context.Context, key string) error {
	if folders, ok := s.Store.(warehouse.Folders); ok {
		return folders.MakeFolder(ctx, key)
	}
	return nil
}

func (s keeping) CheckFolder(ctx context.Context, key string) error {
	if folders, ok := s.Store.(warehouse.Folders); ok {
		return folders.CheckFolder(ctx, key)
	}
	return nil
}
