package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"puddle/cmd/puddle/config"
)

// plugin is what a plugin of Nagios and its kin ends with; the number is the exit
// code (Monitoring Plugins Development Guidelines). It stands in for the exit
// codes of other reports, with --nagios only.
type plugin int

const (
	pluginOK plugin = iota
	pluginWarning
	pluginCritical
	pluginUnknown
)

// String is the word at the beginning of the line.
func (p plugin) String() string { return [...]string{"OK", "WARNING", "CRITICAL", "UNKNOWN"}[p] }

// Error implements error, so that a command can end with it: the line says all.
func (p plugin) Error() string { return p.String() }

// pluginTime is how long a server may take to say how it is.
const pluginTime = 10 * time.Second

// check prints the one line of a plugin and ends with its code.
func (c statusCmd) check(s *session) error {
	page, state, err := c.look(s)
	var text, data string
	switch {
	case err != nil:
		text = err.Error()
	case len(page.Warnings) == 0:
		text, data = page.summary(), page.perfdata()
	default:
		messages := make([]string, len(page.Warnings))
		for i, w := range page.Warnings {
			messages[i] = w.String()
		}
		text, data = strings.Join(messages, "; "), page.perfdata()
	}
	return s.plugin(state, text, data)
}

// plugin prints the line. What stands before the bar is for people, what stands
// after it for graphs.
func (s *session) plugin(state plugin, text, data string) error {
	line := fmt.Sprintf("%s - %s", state, strings.NewReplacer("|", "/", "\n", "; ").Replace(text))
	if data != "" {
		line += " | " + data
	}
	if err := s.lines([]string{line}); err != nil || state == pluginOK {
		return err
	}
	return state
}

// look asks the server that runs. It opens no files and takes no lock: a check
// must not keep a server from starting.
func (c statusCmd) look(s *session) (page statusPage, state plugin, err error) {
	configured, err := s.config()
	if err != nil {
		return page, pluginUnknown, err
	}
	by, err := readHolder(configured.DataDir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return page, pluginUnknown, fmt.Errorf("there is no catalog in %s yet", configured.DataDir)
	case err != nil:
		return page, pluginUnknown, err
	case by.socket == "":
		return page, pluginCritical, errors.New("no server runs")
	}
	body, err := askStatus(s.stop, configured, by)
	switch {
	case errors.Is(err, os.ErrPermission):
		return page, pluginUnknown, err
	case errors.Is(err, errUnanswered):
		return page, pluginCritical, err
	case err != nil:
		return page, pluginUnknown, err
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return page, pluginUnknown, err
	}
	return page, page.state(), nil
}

func askStatus(ctx context.Context, c config.Config, by holder) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pluginTime)
	defer cancel()
	server, err := dial(&held{c.DataDir, by})
	if err != nil {
		return nil, err
	}
	body, err := server.get(ctx, "/status", nil)
	return body, errors.Join(err, server.close())
}

// state is that of the worst warning.
func (p statusPage) state() plugin {
	worst := pluginOK
	for _, w := range p.Warnings {
		worst = max(worst, pluginWarning)
		if w.Critical {
			worst = pluginCritical
		}
	}
	return worst
}

// summary says of each warehouse how far it is.
func (p statusPage) summary() string {
	heads := make([]string, len(p.Warehouses))
	for i, w := range p.Warehouses {
		heads[i] = fmt.Sprintf("%s at %s", w.Warehouse, w.Head.Seq)
	}
	return strings.Join(heads, ", ")
}

// perfdata is the numbers. Names of warehouses need no quotes; the range N: is
// left by what is less than N.
func (p statusPage) perfdata() string {
	data := []string{fmt.Sprintf("waiting=%d", p.Writer.Waiting)}
	for _, f := range p.Room.Files {
		data = append(data, fmt.Sprintf("%s=%dB", f.Name, f.Bytes))
	}
	for _, d := range p.Room.Disks {
		if d.Error == "" {
			data = append(data, fmt.Sprintf("free.%s=%dB;%d:", d.Name, d.Free, d.Least))
		}
	}
	for _, w := range p.Warehouses {
		data = append(data, fmt.Sprintf("%[1]s.head=%[2]dc %[1]s.tables-behind=%[3]d", w.Warehouse, w.Head.Seq, w.Tables.Behind))
		if w.Anchor != nil {
			data = append(data, fmt.Sprintf("%s.anchor-behind=%d", w.Warehouse, w.Anchor.Behind))
		}
		if w.Archive != nil && w.Archive.Mode != "off" {
			data = append(data, fmt.Sprintf("%[1]s.archive-behind=%[2]d %[1]s.archive-lag=%.1[3]fs", w.Warehouse, w.Archive.Behind, w.Archive.Lag))
		}
		for _, proof := range w.Proofs {
			data = append(data, fmt.Sprintf("%s.verified-%d=%ds", w.Warehouse, proof.Level, proof.Age))
		}
		if w.Purges.Pending != nil {
			data = append(data, fmt.Sprintf("%[1]s.purges-pending=%[2]d %[1]s.purges-due=%[3]d", w.Warehouse, *w.Purges.Pending, w.Purges.Due))
		}
		if w.Sidecars != nil {
			data = append(data, fmt.Sprintf("%[1]s.sidecars-behind=%[2]d %[1]s.sidecars-age=%[3]ds", w.Warehouse, w.Sidecars.Behind, w.Sidecars.Age))
		}
	}
	return strings.Join(data, " ")
}
