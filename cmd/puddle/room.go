package main

import (
	"context"

	"puddle/rest"
)

// room measures what is kept and the disks.
func (n *node) room(ctx context.Context) rest.Room {
	return rest.Room{Files: n.sizes(ctx), Disks: n.headroom()}
}
