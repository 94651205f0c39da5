package main

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// A list of free pages that would let changes be written over events is not started with.
func TestCase155_FreeListIsRefused(t *testing.T) {
	c := configured(t, t.TempDir(), "")
	r := started(t, c)
	r.post("/api/catalog/v1/namespaces", `{"namespace":["sales"]}`)
	r.stopped()
	data, err := os.ReadFile(c.Journal.Path)
	if err != nil {
		t.Fatal(err)
	}
	meta, size := data[16:], os.Getpagesize()
	if other := data[size+16:]; binary.NativeEndian.Uint64(other[48:]) > binary.NativeEndian.Uint64(meta[48:]) {
		meta = other
	}
	list := data[int(binary.NativeEndian.Uint64(meta[32:]))*size:]
	if binary.NativeEndian.Uint16(list[10:]) == 0 {
		t.Fatal("no page is free")
	}
	copy(list[16:24], meta[16:24]) // the root
	if err := os.WriteFile(c.Journal.Path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = startServer(t.Context(), c, zerolog.Nop())
	if exitCode(err) != codeRefused || !strings.Contains(err.Error(), "is listed as free") || !strings.HasSuffix(err.Error(), "see: puddle verify") {
		t.Errorf("error is %v", err)
	}
}
