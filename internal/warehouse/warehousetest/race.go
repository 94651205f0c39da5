package warehousetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"puddle/internal/warehouse"
)

func testStageRace(t *testing.T, store warehouse.Store) { testCreateRace(t, staging{store}) }

func testCreateRace(t *testing.T, store warehouse.Store) {
	const racers = 32
	var winner atomic.Value
	var wins, losses atomic.Int32
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() {
			data := fmt.Sprint("racer ", i)
			<-start
			switch err := store.Create(context.Background(), "new/folder/key", []byte(data)); {
			case err == nil:
				wins.Add(1)
				winner.Store(data)
			case errors.Is(err, warehouse.ErrExists):
				losses.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	if wins.Load() != 1 || losses.Load() != racers-1 {
		t.Fatalf("%d won and %d lost, want 1 and %d", wins.Load(), losses.Load(), racers-1)
	}
	wantBytes(t, store, "new/folder/key", winner.Load().(string))
	wantKeys(t, store, "", "new/folder/key")
}

// testPutRace: while two values of different size replace each other, every
// read sees one of them whole, and every list shows the key once.
func testPutRace(t *testing.T, store warehouse.Store) {
	const puts = 50
	values := [][]byte{bytes.Repeat([]byte("a"), 64<<10), bytes.Repeat([]byte("b"), 3<<10)}
	put := func(i int) {
		if err := store.Put(context.Background(), "k", values[i%2]); err != nil {
			t.Error(err)
		}
	}
	put(0)
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					readWhole(t, store, values)
				}
			}
		})
	}
	for i := range puts {
		put(i)
	}
	close(done)
	group.Wait()
}

func readWhole(t *testing.T, store warehouse.Store, values [][]byte) {
	got, err := store.Get(context.Background(), "k", noLimit)
	if err != nil || !bytes.Equal(got, values[0]) && !bytes.Equal(got, values[1]) {
		t.Errorf("Get during Put: %d bytes, %v", len(got), err)
	}
	if keys, err := list(store, ""); err != nil || len(keys) != 1 || keys[0] != "k" {
		t.Errorf("List during Put: %q, %v", keys, err)
	}
}
