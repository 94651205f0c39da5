package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCmd says which build this is.
type versionCmd struct {
	JSON bool `name:"json" help:"One JSON document."`
}

// versionReport is the report of version.
type versionReport struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitzero"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run reports.
func (v versionCmd) Run(s *session) error {
	r := buildReport()
	if v.JSON {
		return s.json(r)
	}
	_, err := fmt.Fprintln(s.stdout, r)
	return err
}

// String is the report in a line.
func (r versionReport) String() string {
	return fmt.Sprintf("puddle %s %s %s", build(), r.Go, r.Platform)
}

func buildReport() versionReport {
	r := versionReport{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	if info.Main.Version != "" {
		r.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Revision = setting.Value
		case "vcs.modified":
			r.Modified = setting.Value == "true"
		}
	}
	return r
}

// build names this build in events and metrics.
func build() string {
	r := buildReport()
	if r.Version != "(devel)" || r.Revision == "" {
		return r.Version
	}
	return r.Version + " " + r.Revision
}
