package linear

import "time"

// narrow moves the calls of ops to when they can have happened at the earliest, so
// that a search tries them in a good order: a snapshot is found, or left, after
// the call of the commit that set it, and left after the calls of all that found
// it. This follows from what the model says and excludes no order that is right,
// as no snapshot is set twice. Times are multiplied to make room for "after".
func narrow(ops []Op) {
	const room = 1000
	setters, loads := map[int64]*Op{}, map[int64][]*Op{}
	for i := range ops {
		op := &ops[i]
		op.Call, op.Return = op.Call*room, op.Return*room
		if op.Load {
			loads[op.Seen] = append(loads[op.Seen], op)
		}
	}
	for i := range ops {
		if op := &ops[i]; !op.Load && (op.Outcome == Done || op.Outcome == Unknown && loads[op.Sets] != nil) {
			setters[op.Sets] = op
		}
	}
	for range ops { // at most as many passes as a chain is long
		if !pass(ops, setters, loads) {
			return
		}
	}
}

// pass narrows each op by the others, once; false when nothing moved.
func pass(ops []Op, setters map[int64]*Op, loads map[int64][]*Op) (moved bool) {
	after := func(op *Op, call time.Duration) {
		if op.Call <= call {
			op.Call, moved = call+1, true
		}
	}
	for i := range ops {
		op := &ops[i]
		effective := !op.Load && setters[op.Sets] == op
		if before := setters[op.Seen]; before != nil && (op.Load || effective) {
			after(op, before.Call)
		}
		if effective {
			for _, load := range loads[op.Seen] {
				after(op, load.Call)
			}
		}
	}
	return moved
}
