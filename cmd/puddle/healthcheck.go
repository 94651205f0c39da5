package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"puddle/cmd/puddle/config"
)

// healthTime is how long a server may take to say that it is alive.
const healthTime = 5 * time.Second

// healthcheckCmd asks a server whether it is alive.
type healthcheckCmd struct {
	URL  string `arg:"" optional:"" help:"Of the server; default: the one of the configuration."`
	JSON bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (healthcheckCmd) Help() string {
	return "Asks GET /healthz. 0: alive; 1: answered something else; 4: did not answer."
}

func (healthcheckCmd) exits() []int { return []int{codeFindings, codeNoLook} }

// healthReport is the report of healthcheck.
type healthReport struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Alive  bool   `json:"alive"`
}

// Run asks.
func (h healthcheckCmd) Run(s *session) error {
	target, err := h.target(s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.stop, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return &failure{codeUsage, err}
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return noLook(err)
	}
	defer answer.Body.Close()
	r := healthReport{target, answer.StatusCode, answer.StatusCode == http.StatusOK}
	if h.JSON {
		if err := s.json(r); err != nil {
			return err
		}
	}
	if !r.Alive {
		return fail(codeFindings, "%s answered %s", target, answer.Status)
	}
	return nil
}

// target is the URL to ask.
func (h healthcheckCmd) target(s *session) (string, error) {
	if h.URL == "" {
		c, err := s.config()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("http://%s/healthz", reachable(c)), nil
	}
	u, err := url.Parse(h.URL)
	if err != nil || u.Host == "" {
		return "", fail(codeUsage, "%q is no URL like http://127.0.0.1:8089", h.URL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/healthz"
	}
	return u.String(), nil
}

// reachable is the configured address as this machine reaches it. Where the
// system chose the port, the running server has published it.
func reachable(c config.Config) string {
	host, port, err := net.SplitHostPort(c.Server.Addr)
	if err != nil {
		return c.Server.Addr
	}
	if port == "0" {
		if by, err := readHolder(c.DataDir); err == nil && by.address != "" {
			return by.address
		}
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
