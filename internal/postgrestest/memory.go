package postgrestest

import (
	"fmt"
	"path/filepath"
)

// disk is where a cluster's folder is made: the path of a socket has about a hundred
// bytes, which other temporary folders may leave too few of.
const disk = "/tmp"

// inMemory tells whether the files of a cluster are where to synchronize them costs nothing.
func (c *Cluster) inMemory() bool { return filepath.Dir(c.folder) != disk }

// initialize makes the files of a cluster, in memory out of another's if there is one. There
// it keeps them for others, too.
func (c *Cluster) initialize(like *Cluster) error {
	if like != nil && like.inMemory() {
		return c.copied(like.pristine(), c.data())
	}
	if err := c.ran(filepath.Join(c.bin, "initdb"), "-D", c.data(), "-U", Superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"); err != nil || !c.inMemory() {
		return err
	}
	return c.copied(c.data(), c.pristine())
}

// pristine are the files as initdb has made them.
func (c *Cluster) pristine() string { return filepath.Join(c.folder, "pristine") }

func (c *Cluster) copied(from, to string) error { return c.ran("cp", "-pR", from, to) }

func (c *Cluster) ran(name string, args ...string) error {
	if out, err := c.command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
