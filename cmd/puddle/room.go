package main

import (
	"context"
	"os"

	"puddle/cmd/puddle/config"
	"puddle/journal/bolt"
	"puddle/rest"
)

// room measures the files of the data folder. What cannot be measured is left
// out.
func (n *node) room(ctx context.Context) (r rest.Room) {
	r.Disks = n.headroom()
	if j, ok := n.journal.(*bolt.Journal); ok {
		if space, err := j.Space(ctx); err == nil {
			r.Files = append(r.Files, rest.FileRoom{Name: "journal", Bytes: space.File, Free: space.Free})
		}
	}
	if n.config.Metastore.Type == config.Memory {
		return r
	}
	for name, suffix := range map[string]string{"tables": "", "tables-log": "-wal"} {
		if info, err := os.Stat(n.config.Metastore.SQLitePath + suffix); err == nil {
			r.Files = append(r.Files, rest.FileRoom{Name: name, Bytes: info.Size()})
		}
	}
	return r
}
