package main

import (
	"context"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"puddle/cmd/puddle/config"
	"puddle/rest"
)

// A disk is nearly full when less than leastShare of it is free, or less than
// leastBytes where that is fewer.
const (
	leastShare = 20 // one in so many bytes: 5 %
	leastBytes = 1 << 30
)

// disk is the file system below a place that puddle writes to.
type disk struct{ name, path string }

// disks are the places that are watched. Two of them may lie on one disk.
func (n *node) disks() []disk {
	c := n.config
	disks := []disk{{"data-dir", c.DataDir}}
	for _, w := range n.warehouses {
		if w.Root.IsFolder() {
			disks = append(disks, disk{"warehouse:" + w.Name, w.Root.Folder()})
		}
	}
	if c.Metastore.Type == config.Memory || c.Metastore.Type == config.Postgres && n.purpose != serving { // which may have none
		return disks[1:]
	}
	for _, of := range []disk{{"journal", c.Journal.Path}, {"tables", c.Metastore.SQLitePath}} {
		if folder := filepath.Dir(of.path); of.path != "" && folder != filepath.Clean(c.DataDir) {
			disks = append(disks, disk{of.name, folder})
		}
	}
	return disks
}

// room measures the disk.
func (d disk) room() rest.DiskRoom {
	r := rest.DiskRoom{Name: d.name}
	var s unix.Statfs_t
	if r.Err = unix.Statfs(d.path, &s); r.Err != nil {
		return r
	}
	block := uint64(s.Bsize)
	r.Free = int64(s.Bavail * block)
	r.Least = min(leastBytes, int64(s.Blocks*block/leastShare))
	return r
}

// headroom measures all disks.
func (n *node) headroom() (rooms []rest.DiskRoom) {
	for _, d := range n.disks() {
		rooms = append(rooms, d.room())
	}
	return rooms
}

// watchEvery is how often the disks are looked at.
const watchEvery = 30 * time.Second

// watch looks at the disks of a node that serves until it is closed: it tells of
// those that are nearly full, and takes changes again when there is room. Without
// room the node starts all the same, to be read.
func (n *node) watch(context.Context) error {
	if n.purpose != serving {
		return nil
	}
	low := map[string]bool{}
	n.alarm(low, n.headroom())
	if err := n.reserves.admit(); err != nil {
		n.log.Error().Err(err).Msg("changes are refused until there is room")
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.watchDisks(ctx, low)
	}()
	n.onClose(func() error {
		stop()
		<-done
		return nil
	})
	return nil
}

func (n *node) watchDisks(ctx context.Context, low map[string]bool) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n.alarm(low, n.headroom())
		_ = n.reserves.admit() // it logs what changes
	}
}

// alarm logs which disks have become nearly full, and which are no more.
func (n *node) alarm(low map[string]bool, rooms []rest.DiskRoom) {
	for _, r := range rooms {
		is := r.Free < r.Least
		if r.Err != nil || is == low[r.Name] {
			continue
		}
		low[r.Name] = is
		line, text := n.log.Info(), "the disk has room again"
		if is {
			line, text = n.log.Warn(), "the disk is nearly full"
		}
		line.Str("disk", r.Name).Int64("free", r.Free).Int64("least", r.Least).Msg(text)
	}
}
