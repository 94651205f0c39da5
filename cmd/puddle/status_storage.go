package main

import (
	"fmt"
	"time"
)

// storagePage is what the storage of a warehouse does.
type storagePage struct {
	Kind        string   `json:"kind"`
	Conditional string   `json:"conditional-writes"` // empty: it was not tried
	Probed      string   `json:"probed-at"`
	Ahead       *float64 `json:"clock-ahead-seconds"`
}

// String is the storage in a few words.
func (p storagePage) String() string {
	if p.Probed == "" {
		return p.Kind
	}
	text := fmt.Sprintf("%s, conditional writes %s, probed at %s", p.Kind, p.Conditional, p.Probed)
	if p.Conditional == "ignored" {
		text = fmt.Sprintf("%s, conditional writes are ignored, probed at %s", p.Kind, p.Probed)
	}
	if p.Ahead != nil && *p.Ahead != 0 {
		text += fmt.Sprintf(", its clock %s ahead", time.Duration(*p.Ahead*float64(time.Second)).Round(time.Second))
	}
	return text
}
