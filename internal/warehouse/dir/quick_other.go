//go:build !linux

package dir

import (
	"os"

	"puddle/internal/warehouse"
)

// quick is for Linux: elsewhere all goes the long way.
type quick struct{}

func openQuick(*os.Root) (quick, error) { return quick{}, nil }

func (quick) close() {}

func (quick) open(string) (*os.File, bool) { return nil, false }

func (quick) stat(string) (warehouse.Info, bool) { return warehouse.Info{}, false }

func (quick) fit(string) bool { return false }

func (quick) make(string) bool { return false }

func (quick) makeFolder(string) (done bool, err error) { return false, nil }

func (quick) stage(string, []byte) (info warehouse.Info, done bool, err error) {
	return info, false, nil
}
