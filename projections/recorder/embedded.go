package recorder

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// embedded is a journal that nobody else writes to, and a store that follows it. It
// has one lane, whose goroutine alone uses chains and recent.
type embedded struct {
	journal journal.Journal
	store   projections.Store
	options Options
	only    *lane
	gate    gate
	hot     hotMaps

	chains map[uuid.UUID]journal.Chain
	recent recent
}

func (b *embedded) lane(context.Context, uuid.UUID) (*lane, error) { return b.only, nil }

// passes lets drafts of all warehouses go together, and then the answers of each: the
// journal stores them for themselves.
func (b *embedded) passes(taken load) (passes []load) {
	if len(taken.calls) > 0 {
		passes = append(passes, load{calls: taken.calls})
	}
	first := len(passes)
	for _, m := range taken.memos {
		i := slices.IndexFunc(passes[first:], func(of load) bool { return of.warehouse() == m.warehouse })
		if i < 0 {
			passes = append(passes, load{memos: []*memo{m}})
			continue
		}
		with := &passes[first+i]
		with.memos = append(with.memos, m)
	}
	return passes
}

func (b *embedded) begin(ctx context.Context, taken load) (pass, error) {
	p := &embeddedPass{embedded: b, warehouse: taken.warehouse()}
	if len(taken.calls) == 0 {
		return p, nil // answers move no pointers
	}
	var err error
	if p.tx, err = b.store.Begin(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// stops: the journal takes nothing more, or no draft will ever be applied to these
// tables.
func (b *embedded) stops(err error) bool {
	return errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrNotNext) ||
		errors.Is(err, projections.ErrDamaged)
}

func (b *embedded) mend(l *lane, reason error) error { return b.bringUp(l, reason) }

func (b *embedded) ready() error { return b.gate.reason() }

// embeddedPass is one group's, or that of answers of one warehouse. The chains and ids
// are those of the embedded.
type embeddedPass struct {
	*embedded
	warehouse uuid.UUID      // of the answers
	tx        projections.Tx // nil: there are only answers
	entries   []journal.Entry
}

func (p *embeddedPass) chain(warehouse uuid.UUID) (journal.Chain, bool) {
	c, ok := p.chains[warehouse]
	return c, ok
}

func (p *embeddedPass) now() journal.Instant { return p.options.Clock.Read() }

func (p *embeddedPass) find(ctx context.Context, warehouse, id uuid.UUID) (journal.Event, bool, error) {
	if !p.recent.mayHold(id) {
		return journal.Event{}, false, nil
	}
	return p.journal.Warehouse(warehouse).Find(ctx, id)
}

func (p *embeddedPass) certain() bool { return true }

func (p *embeddedPass) answered(ctx context.Context, warehouse uuid.UUID, r journal.Request, at time.Time) (bool, error) {
	_, bound, err := p.journal.Warehouse(warehouse).Answered(ctx, r.Actor, r.Key, at)
	return bound, err
}

func (p *embeddedPass) apply(ctx context.Context, e journal.Event) error { return p.tx.Apply(ctx, e) }

// record: the events are the truth. A crash leaves the pointer tables behind the
// journal: CatchUp brings them up at the next start.
func (p *embeddedPass) record(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error {
	if len(entries) == 0 {
		return p.journal.Remember(ctx, p.warehouse, moment(p.chains[p.warehouse], p.now()), answers...)
	}
	if err := p.journal.Append(ctx, entries...); err != nil {
		return err
	}
	p.entries = entries
	for _, e := range entries {
		p.chains[e.Event.Warehouse] = journal.ChainAt(e.Event)
		p.recent.add(e.Event.ID)
	}
	return nil
}

// show: a crash leaves nothing to repair, only callers who do not know yet. If it
// fails the answer is still yes, and no read may miss what is acknowledged.
func (p *embeddedPass) show() error {
	if p.tx == nil {
		return nil
	}
	moved := p.hot.shut(p.entries)
	err := p.tx.Commit()
	if err != nil {
		p.gate.shut(err)
	} else {
		moved.settle()
	}
	return err
}

func (p *embeddedPass) rollback() error {
	if p.tx == nil {
		return nil
	}
	return p.tx.Rollback()
}
