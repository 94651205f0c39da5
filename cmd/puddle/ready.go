package main

import (
	"context"
	"errors"

	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest"
)

// ready says, in words for anybody, why requests are not served as they should
// be: changes are not taken, or the pointer tables do not read.
func (n *node) ready(ctx context.Context) error {
	switch n.writer().State {
	case rest.WriterCatchingUp:
		return errors.New("catching up with the journal")
	case rest.WriterNoRoom:
		return errors.New("the disk is full: changes are refused until there is room")
	case rest.WriterStopped:
		return n.stopped()
	}
	return n.reach(ctx)
}

// stopped says why changes are refused until somebody sees to it. What that takes names
// warehouses and places, and is told to the operator alone.
func (n *node) stopped() error {
	for _, w := range n.warehouses {
		switch {
		case w.readOnly() == nil:
		case w.unfit != nil:
			return errors.New("read only: an object store does not keep two catalogs apart (see puddle status)")
		case w.behind != nil:
			return errors.New("read only as of a backup: a journal is behind its archive (see puddle status)")
		default:
			return errors.New("read only until restart: another catalog writes to a warehouse (see puddle status)")
		}
	}
	return errors.New("read only until restart")
}

// readTables looks whether the pointer tables read.
func (n *node) readTables(ctx context.Context) error {
	for _, w := range n.warehouses {
		if _, err := n.recorder.Reader(w.id).Children(ctx, nil, projections.Page{Limit: 1}); err != nil {
			return err
		}
	}
	return nil
}

// errTables is for anybody.
var errTables = errors.New("the pointer tables cannot be read")

// writer is how the recorder is.
func (n *node) writer() rest.Writer {
	w := rest.Writer{State: rest.WriterRunning, Waiting: n.recorder.Waiting()}
	err := n.recorder.Ready()
	switch {
	case errors.Is(err, recorder.ErrBehind):
		w.State = rest.WriterCatchingUp
	case err != nil:
		w.State = rest.WriterStopped
	case n.purpose != serving:
		w.State = rest.WriterAway
	default:
		if err = n.reserves.admit(); err != nil {
			w.State = rest.WriterNoRoom
		} else if err = n.unreached(); err != nil {
			w.State = rest.WriterNoDatabase
		}
	}
	for _, one := range n.warehouses {
		if reason := one.readOnly(); err == nil && reason != nil {
			w.State, err = rest.WriterStopped, reason
		}
	}
	if err == nil {
		return w
	}
	w.Reason = err.Error()
	return w
}
