package recover

import (
	"context"
	"fmt"
	"sync"
)

// readExternal reads the files in external warehouses that sidecars name, and no others:
// what lies beside them was not written here, and is no later version that was lost. An
// external warehouse that cannot be read fails what is in it, and nothing else.
func (p *sidecarPlan) readExternal(ctx context.Context) error {
	claims := make(chan *claim)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for n := range claims {
				p.readExternalFile(ctx, n)
			}
		})
	}
	for _, n := range p.claims.objects {
		if n.external != "" && n.settled.Outcome == Recovered && ctx.Err() == nil {
			claims <- n
		}
	}
	close(claims)
	wait.Wait()
	return ctx.Err()
}

// readExternalFile reads the file of one object.
func (p *sidecarPlan) readExternalFile(ctx context.Context, n *claim) {
	key, _ := n.current.Location.Key(p.Roots[n.home.root].Location)
	s, err := p.reader.folder(ctx, folder{n.home, []string{key}})
	if err != nil {
		return // ctx has ended
	}
	for _, b := range s.broken {
		if b.unseen {
			n.settled.Outcome, n.settled.Err = Failed, inOneLine(fmt.Errorf(
				"the external warehouse %s cannot be read (another run with --allow-nonempty adds this one when it can): %s: %s", n.external, n.current.Spelled, b.reason))
			n.planned = n.settled
		}
		if b.gone {
			s.broken = nil
		}
	}
	n.externalFile = s
}
