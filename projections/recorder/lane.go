package recorder

import (
	"context"
	"runtime"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// lane is a queue and the goroutine that takes what waits in it through the five
// steps, one group after the other.
type lane struct {
	*Recorder
	drafts chan *call // unbuffered: a draft that was received is taken
	memos  chan *memo // likewise
	halted bool       // of the goroutine: nothing more is recorded
}

// start makes a lane, unless the recorder has stopped.
func (r *Recorder) start() (*lane, error) {
	r.starting.Lock()
	defer r.starting.Unlock()
	if r.life.Err() != nil {
		return nil, context.Cause(r.life)
	}
	l := &lane{Recorder: r, drafts: make(chan *call), memos: make(chan *memo)}
	r.lanes.Go(l.run)
	return l, nil
}

// load is drafts and answers that were taken, each in the order in which they came.
type load struct {
	calls []*call
	memos []*memo
}

func (w load) size() int { return len(w.calls) + len(w.memos) }

func (w load) plus(more load) load {
	return load{slices.Concat(w.calls, more.calls), slices.Concat(w.memos, more.memos)}
}

// warehouse is that of all answers, and of all drafts where a lane has one.
func (w load) warehouse() uuid.UUID {
	if len(w.calls) > 0 {
		return w.calls[0].draft.Warehouse
	}
	return w.memos[0].warehouse
}

// run takes groups through the five steps until the recorder stops.
func (l *lane) run() {
	var left load
	for {
		taken := l.take(left)
		if taken.size() == 0 {
			return
		}
		left = load{}
		for _, together := range l.backend.passes(taken) {
			left = left.plus(l.carry(together))
		}
	}
}

// carry records what goes together, in parts where one of it harms the others. What
// does not fit is left.
func (l *lane) carry(taken load) (left load) {
	rest, parts := l.record(taken)
	for _, part := range parts {
		left = left.plus(l.carry(part))
	}
	return left.plus(rest)
}

// take is what was left of the last group and what is waiting now; when nothing
// is, it waits. It is empty when the recorder has stopped.
func (l *lane) take(left load) load {
	taken := left
	if taken.size() == 0 {
		if l.life.Err() != nil {
			return load{}
		}
		select {
		case c := <-l.drafts:
			taken.calls = append(taken.calls, c)
		case m := <-l.memos:
			taken.memos = append(taken.memos, m)
		case <-l.life.Done():
			return load{}
		}
	}
	runtime.Gosched() // who was just answered may have the next draft ready
	for len(taken.calls) < journal.MaxGroupEntries && len(taken.memos) < journal.MaxGroupEntries {
		select {
		case c := <-l.drafts:
			taken.calls = append(taken.calls, c)
		case m := <-l.memos:
			taken.memos = append(taken.memos, m)
		default:
			return taken
		}
	}
	return taken
}
