package postgres_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/postgres"
)

// Of servers that bear warehouses at once, on what they have read before, one does.
func TestBear(t *testing.T) {
	url := postgrestest.Open(t)
	var starters []*postgres.DB
	for range 4 {
		starters = append(starters, open(t, url))
	}
	var wait sync.WaitGroup
	errs := make([]error, len(starters))
	for i, db := range starters {
		wait.Go(func() { errs[i] = db.Bear(t.Context(), nil, births(t, uuid.New())[0]) })
	}
	wait.Wait()
	born := 0
	for _, err := range errs {
		switch {
		case err == nil:
			born++
		case !errors.Is(err, journal.ErrNotNext):
			t.Error(err)
		}
	}
	db := open(t, url)
	known, err := db.Warehouses(t.Context())
	if err != nil || born != 1 || len(known) != 1 {
		t.Fatalf("born are %d, there are %v, %v", born, known, err)
	}
	if err := db.Bear(t.Context(), known, births(t, uuid.New())[0]); err != nil {
		t.Errorf("who knows the other: %v", err)
	}
}
