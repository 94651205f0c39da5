package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"

	"puddle/cmd/puddle/config"
	"puddle/journal"
)

// logCmd lists events.
type logCmd struct {
	Warehouse string `arg:"" optional:"" help:"Its name; may be left out when only one is configured."`
	Table     string "placeholder:\"NAME\" help:\"Only events of this table or view: ns.name (a level with a dot in backquotes) or its UUID.\""
	Kind      string `help:"Only events of this kind, such as tables-committed."`
	Actor     string `help:"Only events of this actor, such as token:etl."`
	Since     string `placeholder:"POINT" help:"Only events after this point: a time with offset, seq:N, INCARNATION:N or an event's id."`
	Until     string `placeholder:"POINT" help:"Only events up to this point."`
	Limit     int    `default:"100" help:"At most so many; 0 means all."`
	Follow    bool   `help:"Oldest first, and go on with what happens; needs a running server."`
	JSON      bool   `name:"json" help:"One JSON document; with --follow one a line."`
}

// Help is the detail of the help text.
func (logCmd) Help() string {
	return "Asks the running server, or opens the files when none runs. Events come newest first."
}

func (logCmd) exits() []int { return []int{codeFindings, codeNoLook, codeRefused} }

// logReport is the report of log.
type logReport struct {
	Events []jsontext.Value `json:"events"`
}

// eventPage is an answer of the route events.
type eventPage struct {
	logReport
	Next string `json:"next"`
}

// Run reports.
func (l logCmd) Run(s *session) error {
	if l.Limit < 0 {
		return fail(codeUsage, "--limit must not be below 0")
	}
	c, err := s.config()
	if err != nil {
		return err
	}
	if l.Warehouse, err = theWarehouse(c, l.Warehouse); err != nil {
		return err
	}
	return s.ask(c, func(asked *client) error { return l.report(s, asked) })
}

func (l logCmd) report(s *session, asked *client) error {
	switch {
	case l.Follow && !asked.live:
		return fail(codeNoLook, "--follow needs a running server")
	case l.Follow:
		return l.follow(s, asked, time.Second)
	}
	events, err := l.events(s.stop, asked, "desc", nil)
	switch {
	case err != nil:
		return err
	case l.JSON:
		return s.json(logReport{events})
	}
	if len(events) == 0 {
		_, err := fmt.Fprintln(s.stderr, "no such events")
		return err
	}
	return printEvents(s, table.Row{"seq", "at", "kind", "actor", "name", "pointer"}, events)
}

// theWarehouse is the one that was named, or the only one.
func theWarehouse(c config.Config, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	if len(c.Warehouses) > 1 {
		names := make([]string, len(c.Warehouses))
		for i, w := range c.Warehouses {
			names[i] = w.Name
		}
		return "", fail(codeUsage, "there are several warehouses: name one of %s", strings.Join(names, ", "))
	}
	return c.Warehouses[0].Name, nil
}

// maxPage is how many events one answer holds at most.
const maxPage = 1000

// events asks for up to Limit events, page by page.
func (l logCmd) events(ctx context.Context, from *client, order string, after *journal.Seq) ([]jsontext.Value, error) {
	query := l.query(order)
	if after != nil {
		query.Set("after", "seq:"+after.String())
	}
	events := []jsontext.Value{}
	for {
		page := maxPage
		if l.Limit > 0 {
			page = min(page, l.Limit-len(events))
		}
		query.Set("limit", strconv.Itoa(page))
		body, err := from.get(ctx, "/warehouses/"+url.PathEscape(l.Warehouse)+"/events", query)
		if err != nil {
			return nil, err
		}
		var answer eventPage
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, err
		}
		events = append(events, answer.Events...)
		if answer.Next == "" || l.Limit > 0 && len(events) >= l.Limit {
			return events, nil
		}
		query.Set("next", answer.Next)
	}
}

func (l logCmd) query(order string) url.Values {
	query := url.Values{"order": {order}}
	table := "identifier"
	if _, err := uuid.Parse(l.Table); err == nil {
		table = "uuid"
	}
	for key, value := range map[string]string{table: l.Table, "kind": l.Kind, "actor": l.Actor, "after": l.Since, "until": l.Until} {
		if value != "" {
			query.Set(key, value)
		}
	}
	return query
}

// follow prints the newest events, oldest first, and then what comes, looking
// again after each pause, until it is stopped.
func (l logCmd) follow(s *session, from *client, pause time.Duration) error {
	events, err := l.events(s.stop, from, "desc", nil)
	if err != nil {
		return err
	}
	slices.Reverse(events)
	l.Limit = 0
	var last journal.Seq
	for {
		if err := l.print(s, events); err != nil {
			return err
		}
		if len(events) > 0 {
			if last, err = seqOf(events[len(events)-1]); err != nil {
				return err
			}
		}
		select {
		case <-s.stop.Done():
			return nil
		case <-time.After(pause):
		}
		events, err = l.events(s.stop, from, "asc", &last)
		if s.stop.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// print writes events that came while following.
func (l logCmd) print(s *session, events []jsontext.Value) error {
	if !l.JSON {
		return printEvents(s, nil, events)
	}
	for _, e := range events {
		if err := e.Compact(); err != nil {
			return err
		}
		if _, err := s.stdout.Write(append(e, '\n')); err != nil {
			return err
		}
	}
	return nil
}
