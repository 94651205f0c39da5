package postgrestest

import (
	"strings"
	"testing"
)

// TestStartFails: a server that ends before it answers is not waited for.
func TestStartFails(t *testing.T) {
	c := New(t)
	c.Stop()
	c.settings = append(c.settings, "hba_file=/nowhere")
	if err := c.Start(); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("it started without a file that it needs: %v", err)
	}
	c.Stop()
	c.settings = c.settings[:len(c.settings)-1]
	if err := c.Start(); err != nil {
		t.Error(err)
	}
}
